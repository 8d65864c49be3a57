import type { Chunk } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { delta, say } from '../testing/chunks.ts';
import { createObservedBatches } from './observed-batches.ts';

const textIn = (chunks: readonly Chunk[] = []) =>
  chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : `<${chunk.type}>`)).join('|');

test('pieces of one part that wait become one, and nothing of the order is lost', () => {
  const batches = createObservedBatches();
  batches.add([delta('a')]);
  batches.add([delta('b')]);
  batches.add([delta('c'), ...say('d').slice(-1), delta('e')]);
  expect(textIn(batches.take())).toBe('abc');
  expect(textIn(batches.take())).toBe('<text-end>|e');
  expect([batches.take(), batches.isEmpty()]).toEqual([undefined, true]);
});

test('what was given is as it was', () => {
  const batches = createObservedBatches();
  const given = [delta('a')];
  batches.add(given);
  batches.add([delta('b')]);
  expect(textIn(given)).toBe('a');
});

test('a long text waits as one batch; more batches than there may be, or more bytes, are refused, and what waited is gone', () => {
  const batches = createObservedBatches({ maxBatches: 2, maxBytes: 10_000 });
  for (let at = 0; at < 50; at += 1) expect(batches.add([delta('ab')])).toBe(true);
  expect(batches.take()).toHaveLength(1);
  const end = say('x').slice(-1);
  expect([batches.add(end), batches.add(end), batches.add(end)]).toEqual([true, true, false]);
  expect(batches.isEmpty()).toBe(true);
  expect([batches.add([delta('x'.repeat(9_000))]), batches.add([delta('x'.repeat(9_000))])]).toEqual([true, false]);
});
