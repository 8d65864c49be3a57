// The observers of a step's stream: each follows what comes to its place, out of the processors before it. A stream that is begun again
// elsewhere is followed anew, from its first chunk on.
import { entriesOf, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { observeStream, type ObservedStream } from './observe-stream.ts';

const stage = 'processOutputStream';

export type StepObservers = {
  /** @param links the entries of each session, in order. Gives what is told of chunks that go into one; `links.length`: that come out. */
  watch(links: readonly (readonly PlanEntry[])[]): (at: number, chunks: readonly Chunk[]) => void;
  /** The stream is over. */
  end(): void;
};

export function createStepObservers(run: Run, input: StageInput): StepObservers {
  const all = entriesOf(run.plan, stage);
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
        for (const one of followed) if (one.at === at) one.stream.see(chunks);
      };
    },
    end() {
      for (const { stream } of followed) stream.end();
    },
  };
}

/** Of the session that it stands before. */
function placeAmong(links: readonly (readonly PlanEntry[])[], all: readonly PlanEntry[], observer: PlanEntry): number {
  const before = new Set(all.slice(0, all.indexOf(observer)).map(({ entry }) => entry));
  const at = links.findIndex((entries) => entries.every(({ entry }) => !before.has(entry)));
  return at < 0 ? links.length : at;
}
