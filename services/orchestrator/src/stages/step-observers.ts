// What the observers of a step's stream are given: the chunks as they came out of the processors before them, when the stream has ended, in
// one batch. Kept within bounds meanwhile; a stream that is begun again elsewhere is collected anew.
import { entriesOf, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { observeChunks, tellDropped } from './observe.ts';
import { createStepRecord, type StepRecord } from './step-record.ts';

const stage = 'processOutputStream';

export type StepObservers = {
  /** @param links the entries of each session, in order. Gives what is told of chunks that go into one; `links.length`: that come out. */
  watch(links: readonly (readonly PlanEntry[])[]): (at: number, chunks: readonly Chunk[]) => void;
  /** The stream is over: they are asked. */
  end(): void;
};

export function createStepObservers(run: Run, input: StageInput): StepObservers {
  const all = entriesOf(run.plan, stage);
  const observers = all.filter(({ observe }) => observe);
  let records = new Map<PlanEntry, StepRecord>();
  let isOver = false;
  return {
    watch(links) {
      records = new Map(observers.map((entry) => [entry, createStepRecord()]));
      const placed = observers.map((entry) => ({ entry, at: placeAmong(links, all, entry) }));
      return (at, chunks) => {
        for (const one of placed) if (one.at === at) records.get(one.entry)?.given(chunks);
      };
    },
    end() {
      if (isOver) return;
      isOver = true;
      for (const [entry, record] of records) {
        const seen = record.all();
        if (seen) observeChunks(run, entry, seen.given, input);
        else tellDropped(run, entry, stage);
      }
    },
  };
}

/** Of the session that it stands before. */
function placeAmong(links: readonly (readonly PlanEntry[])[], all: readonly PlanEntry[], observer: PlanEntry): number {
  const before = new Set(all.slice(0, all.indexOf(observer)).map(({ entry }) => entry));
  const at = links.findIndex((entries) => entries.every(({ entry }) => !before.has(entry)));
  return at < 0 ? links.length : at;
}
