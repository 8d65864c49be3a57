// How much a processor or a tool may say while one call of it is at work: what has no bound fills the log, the client and this process.
import { MAX_VALUE_NESTING, isNestedDeeper, type Chunk } from '@millrace/contracts';

const MAX_PROGRESS_CHUNKS = 1_000;
/** UTF-16 code units of their JSON. */
const MAX_PROGRESS_CHARS = 1024 * 1024;

export type ProgressBudget = {
  /** false: too much, or nested too deep, from here on. */
  takes(chunks: readonly Chunk[]): boolean;
  isSpent(): boolean;
};

export function createProgressBudget(): ProgressBudget {
  let count = 0;
  let chars = 0;
  let isTooDeep = false;
  const isSpent = () => isTooDeep || count > MAX_PROGRESS_CHUNKS || chars > MAX_PROGRESS_CHARS;
  return {
    isSpent,
    takes(chunks) {
      count += chunks.length;
      for (const chunk of chunks) chars += JSON.stringify(chunk).length;
      isTooDeep ||= chunks.some((chunk) => isNestedDeeper(chunk, MAX_VALUE_NESTING));
      return !isSpent();
    },
  };
}

export const TOO_MUCH_PROGRESS = `said more than ${MAX_PROGRESS_CHUNKS} chunks, ${MAX_PROGRESS_CHARS} characters or ${MAX_VALUE_NESTING} levels while it worked.`;
