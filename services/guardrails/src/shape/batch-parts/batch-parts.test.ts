import { commonArgs } from '@millrace/testkit';
import type { Chunk } from '@millrace/contracts';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { finishChunk, stepStartChunk, toolCallChunk } from '../../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText } from '../../testing/stream-text.ts';
import { batchParts } from './batch-parts.ts';

const batching = (options: object = {}) => batchParts.create(batchParts.options.parse(options));
const showChunk = (chunk: Chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : chunk.type);
const sendChunks = async (options: object, chunks: Chunk[]) => {
  const args = commonArgs();
  const processor = batching(options);
  const out: string[][] = [];
  for (const chunk of chunks) out.push((await send(processor, chunk, args)).map(showChunk));
  return out;
};
const deltas = (...texts: string[]) => texts.map((text) => deltaChunk('text', text));

describe('text deltas in batches', () => {
  test('batch-parts emits full batches, and the rest at the end of the part', async () => {
    expect(await sendChunks({ batchSize: 2 }, [...deltas('a', 'b', 'c'), endChunk('text')])).toEqual([
      [],
      ['ab'],
      [],
      ['c', 'text-end'],
    ]);
  });
  test('a delta of another part flushes the batch', async () => {
    expect(await sendChunks({}, [...deltas('a'), deltaChunk('text', 'x', 'p2'), endChunk('text')])).toEqual([
      [],
      ['a'],
      ['x', 'text-end'],
    ]);
  });
  test.each([1, 3, 5])('batches of %d contain the same text', async (batchSize) => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (text, sizes) => {
          expect((await streamText(batching({ batchSize }), text, sizes, 'text')).passed.join('')).toBe(text);
        },
      ),
      { seed: 3, numRuns: 100 },
    );
  });
});

describe('chunks other than text', () => {
  const reasoning = deltaChunk('reasoning', 'hm');
  test('a chunk other than text flushes the batch first', async () => {
    expect(await sendChunks({}, [...deltas('a'), reasoning])).toEqual([[], ['a', 'reasoning-delta']]);
  });
  test('a chunk overtakes the batch if configured, except the end of a part or a step', async () => {
    const options = { emitOnNonText: false };
    expect(await sendChunks(options, [...deltas('a'), toolCallChunk({}), ...deltas('b'), finishChunk('ab')])).toEqual([
      [],
      ['tool-call'],
      [],
      ['ab', 'finish'],
    ]);
    expect(await sendChunks(options, [...deltas('a'), stepStartChunk])).toEqual([[], ['a', 'step-start']]);
  });
});

describe('expired batches', () => {
  afterEach(() => void vi.useRealTimers());
  test('the next delta flushes an expired batch', async () => {
    vi.useFakeTimers({ now: 0 });
    const args = commonArgs();
    const processor = batching({ maxWaitMs: 50 });
    expect(await send(processor, deltaChunk('text', 'a'), args)).toEqual([]);
    vi.setSystemTime(49);
    expect(await send(processor, deltaChunk('text', 'b'), args)).toEqual([]);
    vi.setSystemTime(50);
    expect((await send(processor, deltaChunk('text', 'c'), args)).map(showChunk)).toEqual(['abc']);
  });
});
