// A batch of a run's chunks, live and in the log: its schemas, its writer, and the arithmetic on positions. Pure.
import { z } from 'zod';
import { storedChunkSchema } from './chunk.ts';
import { markFrequent } from '../base/json-fit.ts';
import { storedVersionSchema } from '../base/stored-version.ts';

/** Place of a chunk in its run. `epoch` counts the owners; `index` continues over epochs. Order is (epoch, index). */
export type Position = { epoch: number; index: number };
export type PositionedItem<C> = Position & { chunk: C };

const anyChunkSchema = z.looseObject({ type: z.string() });

function defineBatch<C extends z.ZodType>(chunk: C) {
  const batch = z.object({ epoch: z.number().int().min(1), index: z.number().int().min(0), chunks: z.array(chunk) });
  return { batch, live: batch.extend({ transient: z.array(chunk).optional() }) };
}

const anyBatch = defineBatch(anyChunkSchema);
const checkedBatch = defineBatch(storedChunkSchema);

/** Chunks from `index` on, of the owner `epoch`. */
export const chunkBatchSchema = markFrequent(anyBatch.batch);
export type ChunkBatch = z.infer<typeof chunkBatchSchema>;
/** A message on the live subject. `transient`: chunks after these that have no index; they are never logged or replayed. */
export const liveBatchSchema = markFrequent(anyBatch.live);
export type LiveBatch = z.infer<typeof liveBatchSchema>;
/** As the log stores it. */
export const loggedBatchSchema = markFrequent(anyBatch.batch.extend({ v: storedVersionSchema }));
/** The same with every chunk checked, for readers of chunks by type. */
export const checkedBatchSchema = checkedBatch.batch;
export const checkedLiveBatchSchema = markFrequent(checkedBatch.live);

/** The members of a batch, with each chunk already encoded as JSON. */
type EncodedBatch<B> = {
  readonly [M in keyof B]: B[M] extends readonly unknown[] | undefined ? readonly string[] | undefined : B[M];
};

/**
 * Derives the writer of a batch from its schema: JSON with the members of the schema in their order, without undefined ones. Joins
 * encoded chunks, because the publisher encodes each chunk once for two batches.
 */
function createWriter({ shape }: z.ZodObject): (batch: { readonly [member: string]: unknown }) => string {
  const members = Object.keys(shape).map((name) => ({ name, key: `,${JSON.stringify(name)}:` }));
  return (batch) => {
    let written = '';
    for (const { name, key } of members) {
      const value = batch[name];
      if (typeof value === 'number') written += key + value;
      else if (Array.isArray(value)) written += `${key}[${value.join(',')}]`;
      else if (value !== undefined) throw new TypeError(`The member "${name}" of a batch has no writer.`);
    }
    return `{${written.slice(1)}}`;
  };
}

export const writeLiveBatch: (batch: EncodedBatch<LiveBatch>) => string = createWriter(liveBatchSchema);
export const writeLoggedBatch: (batch: EncodedBatch<z.infer<typeof loggedBatchSchema>>) => string =
  createWriter(loggedBatchSchema);

type Extent = Position & { readonly chunks: readonly unknown[] };

export const comparePositions = (one: Position, other: Position): number =>
  one.epoch - other.epoch || one.index - other.index;

/** The position after the last chunk of the batch. */
export const findBatchEnd = ({ epoch, index, chunks }: Extent): Position => ({ epoch, index: index + chunks.length });

/** Every chunk of the batch is before the position. */
export const endsBefore = (batch: Extent, position: Position): boolean =>
  comparePositions(findBatchEnd(batch), position) <= 0;

export const isAfter = (batch: Extent, position: Position): boolean => comparePositions(batch, position) > 0;

export const containsPosition = (batch: Extent, position: Position): boolean =>
  batch.epoch === position.epoch && !isAfter(batch, position) && !endsBefore(batch, position);

/** The chunks of a batch with their positions. */
export const positionChunks = <C>({
  epoch,
  index,
  chunks,
}: Position & { readonly chunks: readonly C[] }): PositionedItem<C>[] =>
  chunks.map((chunk, at) => ({ epoch, index: index + at, chunk }));

/** Joins adjacent chunks of one epoch into batches. */
export function batchChunks<C>(positioned: readonly PositionedItem<C>[]): (Position & { chunks: C[] })[] {
  const batches: (Position & { chunks: C[] })[] = [];
  for (const { epoch, index, chunk } of positioned) {
    const last = batches.at(-1);
    if (last && comparePositions(findBatchEnd(last), { epoch, index }) === 0) last.chunks.push(chunk);
    else batches.push({ epoch, index, chunks: [chunk] });
  }
  return batches;
}
