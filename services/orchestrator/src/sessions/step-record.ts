// Records the raw chunks that a step has given to its processors, so that lost sessions can be opened again on another
// replica. The receiver of the output has the published ones. Bounded: a step above the bounds cannot be moved.
import type { Chunk } from '@millrace/contracts';
import { readTextPiece } from '../transcript/text-pieces.ts';
import { compareWith } from './repeated-output.ts';

/** A long answer with long reasoning has some 20,000 pieces. */
const MAX_KEPT_CHUNKS = 32 * 1024;
/** Approximate, without serializing text: characters plus a constant for each envelope. Of the raw chunks and the output. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const FRAME_BYTES = 100;

export type StepRecord = {
  recordGiven(chunks: readonly Chunk[]): void;
  /** Counts the output. */
  countPassed(chunks: readonly Chunk[]): void;
  /** Returns undefined if the bounds were exceeded. */
  getGiven(): readonly Chunk[] | undefined;
};

export function createStepRecord(): StepRecord {
  let given: Chunk[] | undefined = [];
  let passed = 0;
  let bytes = 0;
  const count = (chunks: readonly Chunk[]) => {
    if (!given) return;
    for (const chunk of chunks) bytes += estimateBytes(chunk);
    // The bounds include retracted output: a step that is retracted repeatedly reaches its end.
    if (bytes > MAX_KEPT_BYTES || given.length > MAX_KEPT_CHUNKS || passed > MAX_KEPT_CHUNKS) given = undefined;
  };
  return {
    recordGiven(chunks) {
      given?.push(...chunks);
      count(chunks);
    },
    countPassed(chunks) {
      passed += chunks.length;
      count(chunks);
    },
    getGiven: () => given,
  };
}

/** Returns an approximation. */
export function estimateBytes(chunk: Chunk): number {
  const piece = readTextPiece(chunk);
  return FRAME_BYTES + (piece ? piece.text.length : JSON.stringify(chunk).length);
}

/**
 * Records the input and output of a processor that may be skipped, so that the stream can continue without it from the
 * point of its loss. If the processor has changed nothing so far, the text that it held back continues; otherwise that
 * text is dropped: no processor has judged it, and removed text must not return.
 */
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
