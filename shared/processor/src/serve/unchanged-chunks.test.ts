import type { Chunk } from '@millrace/contracts';
import { TEST_RUN } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { delta } from '../testing/streaming.ts';
import { createUnchangedChunks } from './unchanged-chunks.ts';

/** Passes chunks through `change` and returns which are named in a range. */
function listUnchanged(chunks: Chunk[], change: (chunk: Chunk) => Chunk): boolean[] {
  const unchanged = createUnchangedChunks();
  unchanged.record(chunks, 0);
  return chunks.map((chunk, place) => unchanged.isNext(change(chunk), place));
}
const finish = (): Chunk => ({
  type: 'finish',
  runId: 'run-1',
  from: 'AGENT',
  payload: { stepResult: { reason: 'stop' }, output: { text: 'x' }, messages: [] },
});
const assignMembers = (value: unknown, members: object) => Object.assign(Object(value), members);
const reasoning = (text: string): Chunk => ({
  type: 'reasoning-delta',
  runId: TEST_RUN.runId,
  from: 'AGENT',
  payload: { id: 'text-1', text },
});
/** Changes the chunk in place and returns the same object. */
const changeInPlace =
  (change: (chunk: Chunk) => unknown) =>
  (chunk: Chunk): Chunk => {
    change(chunk);
    return chunk;
  };

describe('output chunks of a session', () => {
  test('An output chunk is named if it equals the input', () => {
    expect(listUnchanged([delta('a'), finish(), delta('b')], (chunk) => chunk)).toEqual([true, true, true]);
    expect(listUnchanged([delta('a'), finish()], (chunk) => structuredClone(chunk))).toEqual([true, true]);
  });

  test.each<[string, () => Chunk, (chunk: Chunk) => Chunk]>([
    ['its text is another', () => delta('a'), () => delta('b')],
    ['its part is another', () => delta('a'), () => delta('a', 'text-2')],
    ['its type is another', () => delta('a'), () => reasoning('a')],
    [
      'its text was changed in place',
      () => delta('a'),
      changeInPlace((chunk) => assignMembers(chunk.payload, { text: 'b' })),
    ],
    ['a member was added in place', () => delta('a'), changeInPlace((chunk) => assignMembers(chunk, { more: 1 }))],
    ['its payload got a member', () => delta('a'), changeInPlace((chunk) => assignMembers(chunk.payload, { more: 1 }))],
    [
      'it is written as something else',
      () => delta('a'),
      changeInPlace((chunk) => Object.defineProperty(chunk, 'toJSON', { value: () => delta('b') })),
    ],
    [
      'something deep in it was changed in place',
      finish,
      changeInPlace((chunk) => assignMembers(chunk.type === 'finish' ? chunk.payload.output : {}, { text: 'y' })),
    ],
  ])('An output chunk is not named if %s', (_why, chunk, change) => {
    expect(listUnchanged([chunk()], change)).toEqual([false]);
  });

  test('An output chunk is not named as another one than the current: delayed chunks are sent', () => {
    const unchanged = createUnchangedChunks();
    unchanged.record([delta('a'), delta('b')], 0);
    expect(unchanged.isNext(delta('a'), 1)).toBe(false);
  });
});

describe('named chunks', () => {
  test('Named chunks form one range, which is cleared when it is taken', () => {
    const unchanged = createUnchangedChunks();
    unchanged.record(
      ['a', 'b', 'c'].map((text) => delta(text)),
      0,
    );
    expect([0, 1].map((place) => unchanged.isNext(delta('ab'[place] ?? ''), place))).toEqual([true, true]);
    expect(unchanged.take()).toEqual({ from: 0, count: 2 });
    expect(unchanged.take()).toBeUndefined();
    expect(unchanged.isNext(delta('c'), 2)).toBe(true);
    expect(unchanged.take()).toEqual({ from: 2, count: 1 });
  });

  test('A chunk is named once: duplicates by a processor are sent', () => {
    const unchanged = createUnchangedChunks();
    unchanged.record([delta('a'), delta('b')], 0);
    expect([0, 0, 1].map((place) => unchanged.isNext(delta(place === 0 ? 'a' : 'b'), place))).toEqual([
      true,
      false,
      true,
    ]);
    expect(unchanged.take()).toEqual({ from: 0, count: 2 });
  });

  test('A dropped chunk ends the range', () => {
    const unchanged = createUnchangedChunks();
    unchanged.record(
      ['a', 'b', 'c'].map((text) => delta(text)),
      0,
    );
    expect(unchanged.isNext(delta('a'), 0)).toBe(true);
    expect(unchanged.isNext(delta('c'), 2)).toBe(false);
  });

  test('Chunks are found after any number of inputs', () => {
    const unchanged = createUnchangedChunks();
    for (let place = 0; place < 2_000; place += 1) {
      unchanged.record([delta(String(place))], place);
      expect(unchanged.isNext(delta(String(place)), place)).toBe(true);
    }
    expect(unchanged.take()).toEqual({ from: 0, count: 2_000 });
  });

  test('Chunks are found after any number of dropped ones, because their notes are deleted', () => {
    const unchanged = createUnchangedChunks();
    for (let place = 0; place < 2_000; place += 1) unchanged.record([delta(String(place))], place);
    expect(unchanged.isNext(delta('1999'), 1_999)).toBe(true);
    expect(unchanged.isNext(delta('3'), 3)).toBe(false);
  });
});
