// The valid chunks of one run, as a page has received them. Pure: a page that joins again may receive chunks a second
// time, and a retract voids chunks that the page has shown.
import type { ChunkAt } from '../api/follow-run.ts';

export type ChunkHistory = {
  /** In order, without retracted chunks and without `retract`. */
  chunks: readonly ChunkAt[];
  /** Position of the last received chunk. */
  last: { epoch: number; index: number } | undefined;
  /** Indexes from which shown text was withdrawn, ascending. */
  withdrawn: readonly number[];
};

export const EMPTY_HISTORY: ChunkHistory = { chunks: [], last: undefined, withdrawn: [] };

/** Maximum number of marks of withdrawn text: a run may retry often. */
const MAX_WITHDRAWN = 20;
const VISIBLE = new Set(['text-delta', 'reasoning-delta', 'tool-call', 'tool-result']);

/** Returns the same history if all chunks are known. */
export function addChunks(history: ChunkHistory, received: readonly ChunkAt[]): ChunkHistory {
  let { last } = history;
  let chunks: ChunkAt[] | undefined;
  let withdrawn = history.withdrawn;
  for (const one of received) {
    if (last && !isAfter(one, last)) continue;
    last = { epoch: one.epoch, index: one.index };
    chunks ??= [...history.chunks];
    if (one.chunk.type !== 'retract') chunks.push(one);
    else {
      const { index } = one.chunk.payload;
      const voided = chunks.filter((earlier) => earlier.index >= index);
      chunks = chunks.filter((earlier) => earlier.index < index);
      // A mark of the voided part is void, too.
      const isMarked = withdrawn.some((mark) => mark >= index) || voided.some(({ chunk }) => VISIBLE.has(chunk.type));
      if (isMarked) withdrawn = [...withdrawn.filter((mark) => mark < index), index].slice(-MAX_WITHDRAWN);
    }
  }
  return chunks ? { chunks, last, withdrawn } : history;
}

const isAfter = (one: { epoch: number; index: number }, last: { epoch: number; index: number }): boolean =>
  one.epoch > last.epoch || (one.epoch === last.epoch && one.index > last.index);

/** The value of Last-Event-ID that continues the history. */
export const writePosition = ({ last }: ChunkHistory): string | undefined => last && `${last.epoch}.${last.index}`;
