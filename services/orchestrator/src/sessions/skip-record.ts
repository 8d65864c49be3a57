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

/** @param listUnprocessed returns the chunks that the processor is not done with */
export function createSkipRecord(listUnprocessed: () => readonly Chunk[]): SkipRecord {
  const [given, passed] = [createStepRecord(), createStepRecord()];
  return {
    recordGiven: (chunks) => given.recordGiven(chunks),
    recordPassed: (chunks) => passed.recordGiven(chunks),
    listRest() {
      const [input, output] = [given.getGiven(), passed.getGiven()];
      if (!input || !output) return listUnprocessed();
      const comparison = compareWith(output);
      const fresh = comparison.compare(input);
      const hasChanged = fresh.kept !== undefined || comparison.end().kept !== undefined;
      return hasChanged ? listUnprocessed() : fresh.chunks;
    },
  };
}
