// A made-up run as its owners published it, for tests: its chunks in order, what of them the log has, and api.replay over it.
import type { Chunk } from '@millrace/contracts';
import { comparePositions, type Position, type PositionedChunk, type Replayed } from '../chunk-merge.ts';

export type Published = PositionedChunk & { logged: boolean };

/** One owner: what it says from its base on. A number is a retract of so many chunks before it; a string is text. */
export type Owner = {
  says: readonly (string | number)[];
  /** Its last chunks that never reached the log. */ unlogged: number;
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

/** @param bases where each owner but the first goes on, as a share of what the one before it had logged */
export function historyOf(owners: readonly Owner[], bases: readonly number[]): Published[] {
  const history: Published[] = [];
  let base = 0;
  for (const [at, { says, unlogged }] of owners.entries()) {
    const epoch = at + 1;
    const chunks: Chunk[] = at === 0 ? [] : [retract(base)];
    const isLast = at === owners.length - 1;
    // What a checkpoint names is logged: the next owner's base is never beyond it, and no retract that the log does not have
    // reaches below it.
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

/** What counts of a run in the end: no retracts, and nothing that one took back. */
export function counting(chunks: readonly PositionedChunk[]): PositionedChunk[] {
  let kept: PositionedChunk[] = [];
  for (const { epoch, index, chunk } of chunks) {
    if (chunk.type !== 'retract') kept.push({ epoch, index, chunk });
    else kept = kept.filter((earlier) => earlier.index < chunk.payload.index);
  }
  return kept;
}

/**
 * api.replay, with the log as it is after `published` chunks, and `page` chunks an answer. Retracts always come: one that is
 * itself taken back by a later, narrower one still says what went before it.
 */
export function replayOf(history: readonly Published[], from: Position, published: number, page: number): Replayed {
  const log = history.slice(0, published).filter(({ logged }) => logged);
  const counts = log.filter((one) => one.chunk.type === 'retract' || !isRetracted(one, log));
  const asked = counts.filter((one) => comparePositions(one, from) >= 0).slice(0, page);
  return { batches: asked.map(({ epoch, index, chunk }) => ({ epoch, index, chunks: [chunk] })) };
}

function isRetracted(chunk: Published, log: readonly Published[]): boolean {
  return log.some(
    (later) =>
      comparePositions(later, chunk) > 0 && later.chunk.type === 'retract' && later.chunk.payload.index <= chunk.index,
  );
}
