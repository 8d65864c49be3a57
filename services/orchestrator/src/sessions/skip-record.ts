// Records the input and output of a processor that may be skipped, so that the stream can continue without it from the
// point of its loss. If the processor has changed nothing so far, the text that it held back continues; otherwise that
// text is dropped: no processor has judged it, and removed text must not return.
import type { Chunk } from '@millrace/contracts';
import { compareWith } from './repeated-output.ts';
import { createStepRecord } from './step-record.ts';

export type SkipRecord = {
  recordGiven(chunks: readonly Chunk[]): void;
  recordPassed(chunks: readonly Chunk[]): void;
  /** Returns the chunks that have to continue. */
  listRest(): readonly Chunk[];
};

/** @param countProcessed number of chunks that the processor is done with */
export function createSkipRecord(countProcessed: () => number): SkipRecord {
  const [given, passed] = [createStepRecord(), createStepRecord()];
  let undone: Chunk[] = [];
  let done = 0;
  const trim = () => {
    const more = countProcessed() - done;
    if (more <= 0) return;
    undone = undone.slice(more);
    done += more;
  };
  return {
    recordGiven(chunks) {
      given.recordGiven(chunks);
      trim();
      undone.push(...chunks);
    },
    recordPassed: (chunks) => passed.recordGiven(chunks),
    listRest() {
      trim();
      const [input, output] = [given.getGiven(), passed.getGiven()];
      if (!input || !output) return undone;
      const comparison = compareWith(output);
      const fresh = comparison.compare(input);
      const hasChanged = fresh.kept !== undefined || comparison.end().kept !== undefined;
      return hasChanged ? undone : fresh.chunks;
    },
  };
}
