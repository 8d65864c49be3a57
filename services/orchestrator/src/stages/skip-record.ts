// What a processor that may be skipped was given and has let through, so that the stream can go on without it where it broke off.
// Where it has changed nothing so far, all that it held back goes on; where it has, what it held back is dropped: nobody has judged
// that, and what it took out must not come back.
import type { Chunk } from '@millrace/contracts';
import { compareWith } from './repeated-output.ts';
import { createStepRecord } from './step-record.ts';

export type SkipRecord = {
  given(chunks: readonly Chunk[]): void;
  passed(chunks: readonly Chunk[]): void;
  /** What is still to go on. */
  rest(): readonly Chunk[];
};

/** @param processed how many chunks it is done with */
export function createSkipRecord(processed: () => number): SkipRecord {
  const record = createStepRecord();
  let undone: Chunk[] = [];
  let done = 0;
  const trim = () => {
    const more = processed() - done;
    if (more <= 0) return;
    undone = undone.slice(more);
    done += more;
  };
  return {
    given(chunks) {
      record.given(chunks);
      trim();
      undone.push(...chunks);
    },
    passed: (chunks) => record.passed(chunks),
    rest() {
      trim();
      const all = record.all();
      if (!all) return undone;
      const comparison = compareWith(all.passed);
      const fresh = comparison.see(all.given);
      const hasChanged = fresh.kept !== undefined || comparison.end().kept !== undefined;
      return hasChanged ? undone : fresh.chunks;
    },
  };
}
