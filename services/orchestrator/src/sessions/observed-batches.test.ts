import type { Chunk } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { delta, say } from '../testing/chunks.ts';
import { createObservedBatches } from './observed-batches.ts';

const textIn = (chunks: readonly Chunk[] = []) =>
  chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : `<${chunk.type}>`)).join('|');

test('pieces of one part that wait become one, and nothing of the order is lost', () => {
  const batches = createObservedBatches();
  batches.tryAdd([delta('a')]);
  batches.tryAdd([delta('b')]);
  batches.tryAdd([delta('c'), ...say('d').slice(-1), delta('e')]);
  expect(textIn(batches.take())).toBe('abc');
  expect(textIn(batches.take())).toBe('<text-end>|e');
  expect([batches.take(), batches.isEmpty()]).toEqual([undefined, true]);
});

test('chunks that were pushed are not modified', () => {
  const batches = createObservedBatches();
  const given = [delta('a')];
  batches.tryAdd(given);
  batches.tryAdd([delta('b')]);
  expect(textIn(given)).toBe('a');
});

test('a long text waits as one batch; a batch above the bounds of number or bytes is refused, and the waiting ones are discarded', () => {
  const batches = createObservedBatches({ maxBatches: 2, maxBytes: 10_000 });
  for (let at = 0; at < 50; at += 1) expect(batches.tryAdd([delta('ab')])).toBe(true);
  expect(batches.take()).toHaveLength(1);
  const end = say('x').slice(-1);
  expect([batches.tryAdd(end), batches.tryAdd(end), batches.tryAdd(end)]).toEqual([true, true, false]);
  expect(batches.isEmpty()).toBe(true);
  expect([batches.tryAdd([delta('x'.repeat(9_000))]), batches.tryAdd([delta('x'.repeat(9_000))])]).toEqual([
    true,
    false,
  ]);
});
