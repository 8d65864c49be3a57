// The observers of a step's stream: each follows the chunks at its position, the output of the processors before it. A
// restarted stream is followed again from its first chunk on.
import { listEntries, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { observeStream, type ObservedStream } from './observe-stream.ts';

const stage = 'processOutputStream';

export type StepObservers = {
  /**
   * @param links the entries of each session, in order. Returns the function that receives chunks entering a session,
   * or leaving the last one if `at` is `links.length`.
   */
  watch(links: readonly (readonly PlanEntry[])[]): (at: number, chunks: readonly Chunk[]) => void;
  /** The stream is over. */
  end(): void;
};

export function createStepObservers(run: Run, input: StageInput): StepObservers {
  const all = listEntries(run.plan, stage);
  const observers = all.filter(({ observe }) => observe);
  let followed: { at: number; stream: ObservedStream }[] = [];
  return {
    watch(links) {
      for (const { stream } of followed) stream.drop();
      followed = observers.map((entry) => ({
        at: placeAmong(links, all, entry),
        stream: observeStream(run, entry, input),
      }));
      return (at, chunks) => {
        for (const one of followed) if (one.at === at) one.stream.observe(chunks);
      };
    },
    end() {
      for (const { stream } of followed) stream.end();
    },
  };
}

/** Returns the index of the session after it. */
function placeAmong(links: readonly (readonly PlanEntry[])[], all: readonly PlanEntry[], observer: PlanEntry): number {
  const before = new Set(all.slice(0, all.indexOf(observer)).map(({ entry }) => entry));
  const at = links.findIndex((entries) => entries.every(({ entry }) => !before.has(entry)));
  return at < 0 ? links.length : at;
}
