import { commonArgs } from '@millrace/testkit';
import type { Chunk } from '@millrace/contracts';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { finishChunk, stepStartChunk, toolCallChunk } from '../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText } from '../testing/stream-text.ts';
import { batchParts } from './batch-parts.ts';

const batching = (options: object = {}) => batchParts.create(batchParts.options.parse(options));
const shown = (chunk: Chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : chunk.type);
const sent = async (options: object, chunks: Chunk[]) => {
  const args = commonArgs();
  const processor = batching(options);
  const out: string[][] = [];
  for (const chunk of chunks) out.push((await send(processor, chunk, args)).map(shown));
  return out;
};
const deltas = (...texts: string[]) => texts.map((text) => deltaChunk('text', text));

describe('text deltas', () => {
  test('go on by the batch, and the rest at the end of the part', async () => {
    expect(await sent({ batchSize: 2 }, [...deltas('a', 'b', 'c'), endChunk('text')])).toEqual([
      [],
      ['ab'],
      [],
      ['c', 'text-end'],
    ]);
  });
  test('of another part let go what waits', async () => {
    expect(await sent({}, [...deltas('a'), deltaChunk('text', 'x', 'p2'), endChunk('text')])).toEqual([
      [],
      ['a'],
      ['x', 'text-end'],
    ]);
  });
  test.each([1, 3, 5])('come to the same text in batches of %d', async (batchSize) => {
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

describe('a chunk that is no text', () => {
  const reasoning = deltaChunk('reasoning', 'hm');
  test('lets the batch go before it', async () => {
    expect(await sent({}, [...deltas('a'), reasoning])).toEqual([[], ['a', 'reasoning-delta']]);
  });
  test('overtakes the batch where that is said, but nothing that ends a part or a step does', async () => {
    const options = { emitOnNonText: false };
    expect(await sent(options, [...deltas('a'), toolCallChunk({}), ...deltas('b'), finishChunk('ab')])).toEqual([
      [],
      ['tool-call'],
      [],
      ['ab', 'finish'],
    ]);
    expect(await sent(options, [...deltas('a'), stepStartChunk])).toEqual([[], ['a', 'step-start']]);
  });
});

describe('a batch that waits too long', () => {
  afterEach(() => void vi.useRealTimers());
  test('goes on with the next delta', async () => {
    vi.useFakeTimers({ now: 0 });
    const args = commonArgs();
    const processor = batching({ maxWaitMs: 50 });
    expect(await send(processor, deltaChunk('text', 'a'), args)).toEqual([]);
    vi.setSystemTime(49);
    expect(await send(processor, deltaChunk('text', 'b'), args)).toEqual([]);
    vi.setSystemTime(50);
    expect((await send(processor, deltaChunk('text', 'c'), args)).map(shown)).toEqual(['abc']);
  });
});
