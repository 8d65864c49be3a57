// batch-parts: several text deltas go on as one, for clients and later processors to which each chunk costs something. The text is
// the same, and so is its order.
import type { Chunk, ChunkOf, JsonObject } from '@millrace/contracts';
import { defineProcessor, type ProcessOutputStreamArgs } from '@millrace/processor';
import { z } from 'zod';

/** Code units: what waits lives in the state. */
const MAX_BATCH_CHARACTERS = 65_536;

const options = z.strictObject({
  batchSize: z.number().int().min(1).max(1_000).default(5).describe('deltas that go on as one'),
  maxWaitMs: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('a batch that is older goes on with the next delta, however small it is; 0: only when it is full'),
  emitOnNonText: z
    .boolean()
    .default(true)
    .describe('whether a chunk that is no text lets the batch go before it; else such chunks overtake it'),
});
type Options = z.output<typeof options>;
type Batch = { last: ChunkOf<'text-delta'>; text: string; count: number; since: number };

/**
 * For clients and later processors to which each chunk costs something. The text is the same, and so is its order.
 *
 * @verdict continue: with the text so far in one delta, or with nothing until it is enough
 * @cannot Send a batch because time has passed: it goes on with the next chunk.
 * @cannot Join reasoning or tool arguments.
 * @example
 * output:
 *   - use: batch-parts
 *     options: { batchSize: 10, maxWaitMs: 200 }
 */
export const batchParts = defineProcessor({
  id: 'batch-parts',
  description: 'Lets several text deltas go on as one.',
  aliases: ['BatchParts', 'BatchPartsProcessor'],
  stages: ['processOutputStream'],
  reads: [],
  options,
  create: (chosen) => ({ id: 'batch-parts', processOutputStream: (args) => batch(chosen, args) }),
});

/** No text goes on after these, or it begins: what waits stands before them in any case. */
const EDGES = new Set<string>(['text-start', 'text-end', 'start', 'step-start', 'step-finish', 'finish', 'error']);

function batch(chosen: Options, { part, state }: ProcessOutputStreamArgs): Chunk[] {
  if (part.type !== 'text-delta') {
    return chosen.emitOnNonText || EDGES.has(part.type) ? [...letGo(state), part] : [part];
  }
  const isOther = batchIn(state)?.last.payload.id !== part.payload.id;
  const before = isOther ? letGo(state) : [];
  const { text, count, since } = batchIn(state) ?? { text: '', count: 0, since: Date.now() };
  const grown: Batch = { last: part, text: text + part.payload.text, count: count + 1, since };
  state['batch'] = asJson(grown);
  return isFull(chosen, grown) ? [...before, ...letGo(state)] : before;
}

const isFull = ({ batchSize, maxWaitMs }: Options, { text, count, since }: Batch): boolean =>
  count >= batchSize || text.length >= MAX_BATCH_CHARACTERS || (maxWaitMs > 0 && Date.now() - since >= maxWaitMs);

function letGo(state: JsonObject): Chunk[] {
  const waiting = batchIn(state);
  if (!waiting) return [];
  delete state['batch'];
  const { last, text } = waiting;
  return text === '' ? [] : [{ ...last, payload: { ...last.payload, text } }];
}

function batchIn(state: JsonObject): Batch | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this processor alone, under this very key
  return state['batch'] as Batch | undefined;
}

function asJson(batch: Batch): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a chunk is JSON, and a copy of it would cost more than the rest
  return batch as unknown as JsonObject;
}
