// Bounds the chunks that a processor or a tool writes during one call: without a bound they fill the log, the client
// and this process.
import { MAX_VALUE_NESTING, isNestedDeeper, type Chunk } from '@millrace/contracts';

const MAX_PROGRESS_CHUNKS = 1_000;
/** UTF-16 code units of their JSON. */
const MAX_PROGRESS_CHARS = 1024 * 1024;

export type ProgressBudget = {
  /** Returns false if the chunks exceed the budget or are nested too deep; from then on always. */
  accepts(chunks: readonly Chunk[]): boolean;
  isSpent(): boolean;
};

export function createProgressBudget(): ProgressBudget {
  let count = 0;
  let chars = 0;
  let isTooDeep = false;
  const isSpent = () => isTooDeep || count > MAX_PROGRESS_CHUNKS || chars > MAX_PROGRESS_CHARS;
  return {
    isSpent,
    accepts(chunks) {
      count += chunks.length;
      for (const chunk of chunks) chars += JSON.stringify(chunk).length;
      isTooDeep ||= chunks.some((chunk) => isNestedDeeper(chunk, MAX_VALUE_NESTING));
      return !isSpent();
    },
  };
}

export const TOO_MUCH_PROGRESS = `wrote more than ${MAX_PROGRESS_CHUNKS} chunks, ${MAX_PROGRESS_CHARS} characters or ${MAX_VALUE_NESTING} levels during one call.`;
