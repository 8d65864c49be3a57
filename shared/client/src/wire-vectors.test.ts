// The vectors of docs/wire.md, which the readers in Python and Go apply as well.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chunkSchema, type Chunk } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hasGap, mergeLive, mergeReplay, startMerge, type PositionedChunk } from './chunk-merge.ts';

const positionSchema = z.strictObject({ epoch: z.int(), index: z.int() });
const batchSchema = positionSchema.extend({ chunks: z.array(chunkSchema) });
const vectorSchema = z.strictObject({
  name: z.string(),
  events: z.array(z.union([z.strictObject({ live: batchSchema }), z.strictObject({ replay: z.array(batchSchema) })])),
  text: z.string(),
  next: positionSchema,
  gap: z.boolean(),
  ended: z.boolean(),
});
const file = join(import.meta.dirname, '../../../docs/vectors/reader.json');
const { vectors } = z.object({ vectors: z.array(vectorSchema).min(20) }).parse(JSON.parse(readFileSync(file, 'utf8')));

/** Returns the chunks that a reader shows after one more. */
function show(shown: readonly PositionedChunk[], next: PositionedChunk): PositionedChunk[] {
  const isNew = shown.some(({ epoch }) => epoch < next.epoch);
  const kept = isNew ? shown.filter(({ index }) => index < next.index) : shown;
  const current = kept.map((one) => ({ ...one, epoch: next.epoch }));
  if (next.chunk.type !== 'retract') return [...current, next];
  const { index: from } = next.chunk.payload;
  return current.filter(({ index }) => index < from);
}
const readText = (chunk: Chunk): string => (chunk.type === 'text-delta' ? chunk.payload.text : '');

test.each(vectors)('A reader shows the text of the vector: $name', ({ events, text, next, gap, ended }) => {
  let merge = startMerge();
  let shown: PositionedChunk[] = [];
  for (const event of events) {
    const step = 'live' in event ? mergeLive(merge, event.live) : mergeReplay(merge, { batches: event.replay });
    merge = step.merge;
    shown = step.accepted.reduce(show, shown);
  }
  const joined = shown
    .map(({ chunk }) => readText(chunk))
    .join('')
    .toWellFormed();
  expect({ text: joined, next: merge.next, gap: hasGap(merge), ended: merge.ended }).toEqual({
    text,
    next,
    gap,
    ended,
  });
});
