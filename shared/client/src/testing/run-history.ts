// Simulates the published chunks of a run for tests: in order, with the logged part, and api.replay over it.
import { type Chunk, comparePositions, type Position } from '@millrace/contracts';
import { type PositionedChunk, type ReplayedBatches } from '../chunk-merge.ts';

export type PublishedBatch = PositionedChunk & { logged: boolean };

/** Output of one owner from its base on. A number retracts that many preceding chunks; a string is text. */
export type HistoryOwner = {
  says: readonly (string | number)[];
  /** Number of its last chunks that never reached the log. */ unlogged: number;
};

const runId = 'run-1';
export const text = (words: string): Chunk => ({
  type: 'text-delta',
  runId,
  from: 'AGENT',
  payload: { id: 't', text: words },
});
export const retract = (index: number): Chunk => ({ type: 'retract', runId, from: 'SYSTEM', payload: { index } });
export const finish: Chunk = {
  type: 'finish',
  runId,
  from: 'AGENT',
  payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
};

/** @param bases base of each owner but the first, as a share of its predecessor's logged chunks */
export function buildHistory(owners: readonly HistoryOwner[], bases: readonly number[]): PublishedBatch[] {
  const history: PublishedBatch[] = [];
  let base = 0;
  for (const [at, { says, unlogged }] of owners.entries()) {
    const epoch = at + 1;
    const chunks: Chunk[] = at === 0 ? [] : [retract(base)];
    const isLast = at === owners.length - 1;
    // Chunks of a checkpoint are logged: the next owner's base is never beyond it, and a retract that is not logged
    // never reaches below it.
    const logged = isLast ? says.length + chunks.length + 1 : Math.max(says.length + chunks.length - unlogged, 0);
    for (const word of says) {
      const index = base + chunks.length;
      const floor = chunks.length < logged ? 0 : base + logged;
      chunks.push(
        typeof word === 'string' ? text(`${epoch}:${index} ${word}`) : retract(Math.max(index - word, floor)),
      );
    }
    if (isLast) chunks.push(finish);
    chunks.forEach((chunk, n) => history.push({ epoch, index: base + n, chunk, logged: n < logged }));
    base += Math.floor((bases[at] ?? 0) * logged);
  }
  return history;
}

/** Returns the valid chunks of a run: without retracts and retracted chunks. */
export function counting(chunks: readonly PositionedChunk[]): PositionedChunk[] {
  let kept: PositionedChunk[] = [];
  for (const { epoch, index, chunk } of chunks) {
    if (chunk.type !== 'retract') kept.push({ epoch, index, chunk });
    else kept = kept.filter((earlier) => earlier.index < chunk.payload.index);
  }
  return kept;
}

/**
 * Simulates api.replay with the log after `published` chunks, and `page` chunks per reply. Retracts are always
 * included: one that a later, narrower one retracts still voids the chunks before it.
 */
export function replayHistory(
  history: readonly PublishedBatch[],
  from: Position,
  published: number,
  page: number,
): ReplayedBatches {
  const log = history.slice(0, published).filter(({ logged }) => logged);
  const counts = log.filter((one) => one.chunk.type === 'retract' || !isRetracted(one, log));
  const asked = counts.filter((one) => comparePositions(one, from) >= 0).slice(0, page);
  return { batches: asked.map(({ epoch, index, chunk }) => ({ epoch, index, chunks: [chunk] })) };
}

function isRetracted(chunk: PublishedBatch, log: readonly PublishedBatch[]): boolean {
  return log.some(
    (later) =>
      comparePositions(later, chunk) > 0 && later.chunk.type === 'retract' && later.chunk.payload.index <= chunk.index,
  );
}
