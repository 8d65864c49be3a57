// batch-parts: joins several text deltas into one, for clients and later processors with a cost per chunk. The text and
// its order stay the same.
import type { Chunk, ChunkOf, JsonObject } from '@millrace/contracts';
import { defineProcessor, type ProcessOutputStreamArgs } from '@millrace/processor';
import { z } from 'zod';

/** Maximum size of a batch, in code units, because the entry's state stores it. */
const MAX_BATCH_CHARACTERS = 65_536;

const options = z.strictObject({
  batchSize: z.number().int().min(1).max(1_000).default(5).describe('Number of deltas per batch.'),
  maxWaitMs: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      'Age in milliseconds at which the next delta flushes the batch even if it is not full. 0 waits for a full batch.',
    ),
  emitOnNonText: z
    .boolean()
    .default(true)
    .describe('Whether a chunk other than text flushes the batch before it. If not, such chunks overtake the batch.'),
});
type BatchPartsOptions = z.output<typeof options>;
type PartBatch = { last: ChunkOf<'text-delta'>; text: string; count: number; since: number };

/**
 * Joins several text deltas into one, for clients and later processors with a cost per chunk. The text and its order
 * stay the same.
 *
 * @verdict continue: with the buffered text in one delta, or with nothing until the batch is full
 * @cannot Flush a batch by a timer: it flushes with the next chunk.
 * @cannot Join reasoning or tool arguments.
 * @example
 * output:
 *   - use: batch-parts
 *     options: { batchSize: 10, maxWaitMs: 200 }
 */
export const batchParts = defineProcessor({
  id: 'batch-parts',
  description: 'Joins several text deltas into one.',
  aliases: ['BatchParts', 'BatchPartsProcessor'],
  stages: ['processOutputStream'],
  positions: { output: 170 },
  reads: [],
  options,
  create: (chosen) => ({ id: 'batch-parts', processOutputStream: (args) => batch(chosen, args) }),
});

/** Chunks that start or end text. The batch is always flushed before them. */
const EDGES = new Set<string>(['text-start', 'text-end', 'start', 'step-start', 'step-finish', 'finish', 'error']);

function batch(chosen: BatchPartsOptions, { part, state }: ProcessOutputStreamArgs): Chunk[] {
  if (part.type !== 'text-delta') {
    return chosen.emitOnNonText || EDGES.has(part.type) ? [...letGo(state), part] : [part];
  }
  const isOther = readBatch(state)?.last.payload.id !== part.payload.id;
  const before = isOther ? letGo(state) : [];
  const { text, count, since } = readBatch(state) ?? { text: '', count: 0, since: Date.now() };
  const grown: PartBatch = { last: part, text: text + part.payload.text, count: count + 1, since };
  state['batch'] = toJson(grown);
  return isFull(chosen, grown) ? [...before, ...letGo(state)] : before;
}

const isFull = ({ batchSize, maxWaitMs }: BatchPartsOptions, { text, count, since }: PartBatch): boolean =>
  count >= batchSize || text.length >= MAX_BATCH_CHARACTERS || (maxWaitMs > 0 && Date.now() - since >= maxWaitMs);

function letGo(state: JsonObject): Chunk[] {
  const waiting = readBatch(state);
  if (!waiting) return [];
  delete state['batch'];
  const { last, text } = waiting;
  return text === '' ? [] : [{ ...last, payload: { ...last.payload, text } }];
}

function readBatch(state: JsonObject): PartBatch | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this processor alone, under this very key
  return state['batch'] as PartBatch | undefined;
}

function toJson(batch: PartBatch): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a chunk is JSON, and a copy of it would cost more than the rest
  return batch as unknown as JsonObject;
}
