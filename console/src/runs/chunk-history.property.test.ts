// The chunks of a page are the valid chunks of the run, however the stream is cut, repeated and joined again.
import type { Chunk } from '@millrace/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChunkAt } from '../api/follow-run.ts';
import { buildAnswer, readText } from '../chat/answer-pieces.ts';
import { addChunks, EMPTY_HISTORY, writePosition } from './chunk-history.ts';

const base = { runId: 'run-1', from: 'AGENT' as const };
const text = (words: string): Chunk => ({ type: 'text-delta', ...base, payload: { id: 't', text: words } });
const retract = (index: number): Chunk => ({ type: 'retract', ...base, payload: { index } });

/** A run: texts, and numbers that retract so many chunks. A number below zero begins an epoch. */
const runs = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.integer({ min: -6, max: 6 }) },
    ),
    {
      maxLength: 60,
    },
  )
  .map((steps) => {
    const chunks: ChunkAt[] = [];
    let [epoch, index] = [1, 0];
    for (const step of steps) {
      if (typeof step === 'string') chunks.push({ epoch, index, chunk: text(step) });
      else {
        const from = Math.max(0, index - Math.abs(step));
        // A new owner continues at the index of the checkpoint.
        if (step < 0) [epoch, index] = [epoch + 1, from];
        chunks.push({ epoch, index, chunk: retract(from) });
      }
      index += 1;
    }
    return chunks;
  });

/** The plain definition: a retract removes every earlier chunk from its index on. */
function listValid(chunks: readonly ChunkAt[]): ChunkAt[] {
  let valid: ChunkAt[] = [];
  for (const one of chunks) {
    const { chunk } = one;
    if (chunk.type === 'retract') valid = valid.filter(({ index }) => index < chunk.payload.index);
    else valid.push(one);
  }
  return valid;
}

describe('the chunks of a page', () => {
  test('are the valid chunks for every grouping of the stream', () => {
    fc.assert(
      fc.property(runs, fc.array(fc.nat(8), { maxLength: 60 }), (chunks, sizes) => {
        let history = EMPTY_HISTORY;
        let at = 0;
        for (const size of [...sizes, chunks.length]) {
          history = addChunks(history, chunks.slice(at, at + size));
          at += size;
        }
        expect(history.chunks).toEqual(listValid(chunks));
      }),
    );
  });

  test('are the same when the stream is joined again anywhere before its end', () => {
    fc.assert(
      fc.property(runs, fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { maxLength: 5 }), (chunks, joins) => {
        let history = EMPTY_HISTORY;
        let known = 0;
        for (const [from, to] of joins) {
          // A join repeats chunks, but skips none.
          history = addChunks(history, chunks.slice(Math.min(from, known), to));
          known = Math.max(known, Math.min(to, chunks.length));
        }
        history = addChunks(history, chunks.slice(known));
        expect(history.chunks).toEqual(listValid(chunks));
        expect(addChunks(history, chunks)).toBe(history);
      }),
    );
  });

  test('are the same when the stream omits the retracted chunks, as a rejoin does', () => {
    fc.assert(
      fc.property(runs, fc.nat(60), (chunks, cut) => {
        const before = chunks.slice(0, cut);
        const rest = chunks.slice(cut);
        const valid = new Set(listValid(chunks));
        const replayed = rest.filter((one) => one.chunk.type === 'retract' || valid.has(one));
        expect(addChunks(addChunks(EMPTY_HISTORY, before), replayed).chunks).toEqual(listValid(chunks));
      }),
    );
  });

  test('hold no retracted text, and their answer marks it', () => {
    fc.assert(
      fc.property(runs, (chunks) => {
        const history = addChunks(EMPTY_HISTORY, chunks);
        const answer = buildAnswer(history);
        const words = listValid(chunks).map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.payload.text : ''));
        expect(readText(answer).replaceAll('\n\n', '')).toBe(words.join('').replaceAll('\n\n', ''));
        expect(answer.pieces.filter(({ kind }) => kind === 'withdrawn')).toHaveLength(history.withdrawn.length);
        expect(history.withdrawn.toSorted((a, b) => a - b)).toEqual(history.withdrawn);
      }),
    );
  });
});

test('The position for a rejoin is that of the last chunk, also of a retract', () => {
  const history = addChunks(EMPTY_HISTORY, [
    { epoch: 1, index: 0, chunk: text('a') },
    { epoch: 2, index: 0, chunk: retract(0) },
  ]);
  expect([history.chunks, writePosition(history), writePosition(EMPTY_HISTORY)]).toEqual([[], '2.0', undefined]);
});
