import type { Chunk } from '@millrace/contracts';
import { TEST_RUN } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { delta } from '../testing/streaming.ts';
import { createUnchangedChunks } from './unchanged-chunks.ts';

/** Chunks come in, go through `change`, and are named or not. */
function named(chunks: Chunk[], change: (chunk: Chunk) => Chunk): boolean[] {
  const unchanged = createUnchangedChunks();
  unchanged.came(chunks, 0);
  return chunks.map((chunk, place) => unchanged.isNext(change(chunk), place));
}
const finish = (): Chunk => ({
  type: 'finish',
  runId: 'run-1',
  from: 'AGENT',
  payload: { stepResult: { reason: 'stop' }, output: { text: 'x' }, messages: [] },
});
const put = (value: unknown, members: object) => Object.assign(Object(value), members);
const reasoning = (text: string): Chunk => ({
  type: 'reasoning-delta',
  runId: TEST_RUN.runId,
  from: 'AGENT',
  payload: { id: 'text-1', text },
});
/** Changed where it stands, and returned as what it was given. */
const inPlace =
  (change: (chunk: Chunk) => unknown) =>
  (chunk: Chunk): Chunk => {
    change(chunk);
    return chunk;
  };

describe('a chunk that comes out of a session', () => {
  test('is named where it is what went in, or the same again', () => {
    expect(named([delta('a'), finish(), delta('b')], (chunk) => chunk)).toEqual([true, true, true]);
    expect(named([delta('a'), finish()], (chunk) => structuredClone(chunk))).toEqual([true, true]);
  });

  test.each<[string, () => Chunk, (chunk: Chunk) => Chunk]>([
    ['its text is another', () => delta('a'), () => delta('b')],
    ['its part is another', () => delta('a'), () => delta('a', 'text-2')],
    ['its type is another', () => delta('a'), () => reasoning('a')],
    ['its text was changed in place', () => delta('a'), inPlace((chunk) => put(chunk.payload, { text: 'b' }))],
    ['a member was added in place', () => delta('a'), inPlace((chunk) => put(chunk, { more: 1 }))],
    ['its payload got a member', () => delta('a'), inPlace((chunk) => put(chunk.payload, { more: 1 }))],
    [
      'it is written as something else',
      () => delta('a'),
      inPlace((chunk) => Object.defineProperty(chunk, 'toJSON', { value: () => delta('b') })),
    ],
    [
      'something deep in it was changed in place',
      finish,
      inPlace((chunk) => put(chunk.type === 'finish' ? chunk.payload.output : {}, { text: 'y' })),
    ],
  ])('is not named where %s', (_why, chunk, change) => {
    expect(named([chunk()], change)).toEqual([false]);
  });

  test('is not named as one that is not at work: what was held back is sent', () => {
    const unchanged = createUnchangedChunks();
    unchanged.came([delta('a'), delta('b')], 0);
    expect(unchanged.isNext(delta('a'), 1)).toBe(false);
  });
});

describe('chunks that are named', () => {
  test('are one range, forgotten when it is taken', () => {
    const unchanged = createUnchangedChunks();
    unchanged.came(
      ['a', 'b', 'c'].map((text) => delta(text)),
      0,
    );
    expect([0, 1].map((place) => unchanged.isNext(delta('ab'[place] ?? ''), place))).toEqual([true, true]);
    expect(unchanged.take()).toEqual({ from: 0, count: 2 });
    expect(unchanged.take()).toBeUndefined();
    expect(unchanged.isNext(delta('c'), 2)).toBe(true);
    expect(unchanged.take()).toEqual({ from: 2, count: 1 });
  });

  test('are named once: a processor that multiplies one has the others sent', () => {
    const unchanged = createUnchangedChunks();
    unchanged.came([delta('a'), delta('b')], 0);
    expect([0, 0, 1].map((place) => unchanged.isNext(delta(place === 0 ? 'a' : 'b'), place))).toEqual([
      true,
      false,
      true,
    ]);
    expect(unchanged.take()).toEqual({ from: 0, count: 2 });
  });

  test('have no gap: one that was dropped ends the range', () => {
    const unchanged = createUnchangedChunks();
    unchanged.came(
      ['a', 'b', 'c'].map((text) => delta(text)),
      0,
    );
    expect(unchanged.isNext(delta('a'), 0)).toBe(true);
    expect(unchanged.isNext(delta('c'), 2)).toBe(false);
  });

  test('are found however many have come', () => {
    const unchanged = createUnchangedChunks();
    for (let place = 0; place < 2_000; place += 1) {
      unchanged.came([delta(String(place))], place);
      expect(unchanged.isNext(delta(String(place)), place)).toBe(true);
    }
    expect(unchanged.take()).toEqual({ from: 0, count: 2_000 });
  });

  test('are found after any number that came to nothing: those are forgotten', () => {
    const unchanged = createUnchangedChunks();
    for (let place = 0; place < 2_000; place += 1) unchanged.came([delta(String(place))], place);
    expect(unchanged.isNext(delta('1999'), 1_999)).toBe(true);
    expect(unchanged.isNext(delta('3'), 3)).toBe(false);
  });
});
