// Batches of any chunks: readers parse a written batch to the same value; positions partition a run.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  batchChunks,
  findBatchEnd,
  isAfter,
  comparePositions,
  containsPosition,
  endsBefore,
  liveBatchSchema,
  loggedBatchSchema,
  positionChunks,
  writeLiveBatch,
  writeLoggedBatch,
} from './chunk-batch.ts';
import { STORED_VERSION } from '../base/stored-version.ts';

const chunk = fc
  .tuple(fc.string(), fc.jsonValue())
  .map(([type, payload]): { type: string } => JSON.parse(JSON.stringify({ type, payload })));
const position = fc.record({ epoch: fc.integer({ min: 1, max: 4 }), index: fc.nat(20) });
const batch = fc
  .tuple(position, fc.array(chunk, { maxLength: 5 }))
  .map(([{ epoch, index }, chunks]) => ({ epoch, index, chunks }));
const encode = (chunks: readonly object[]) => chunks.map((one) => JSON.stringify(one));

describe('A written batch', () => {
  test('parses to the same value, live with transient chunks', () => {
    fc.assert(
      fc.property(batch, fc.option(fc.array(chunk), { nil: undefined }), (one, transient) => {
        const json = writeLiveBatch({ ...one, chunks: encode(one.chunks), transient: transient && encode(transient) });
        expect(liveBatchSchema.parse(JSON.parse(json))).toEqual({ ...one, ...(transient && { transient }) });
      }),
    );
  });

  test('parses to the same value, logged with its version', () => {
    fc.assert(
      fc.property(batch, (one) => {
        const json = writeLoggedBatch({ ...one, chunks: encode(one.chunks), v: STORED_VERSION });
        expect(loggedBatchSchema.parse(JSON.parse(json))).toEqual({ ...one, v: STORED_VERSION });
      }),
    );
  });

  test('has the members in the order of the schema', () => {
    const chunks = ['{"type":"finish"}'];
    expect(writeLiveBatch({ transient: chunks, chunks, index: 7, epoch: 2 })).toBe(
      '{"epoch":2,"index":7,"chunks":[{"type":"finish"}],"transient":[{"type":"finish"}]}',
    );
  });
});

describe('A position', () => {
  test('is before, within or after a batch of its epoch, and within if one of the chunks has it', () => {
    fc.assert(
      fc.property(batch, position, (one, at) => {
        fc.pre(one.chunks.length > 0);
        const isWithin = positionChunks(one).some((piece) => comparePositions(piece, at) === 0);
        expect(containsPosition(one, at)).toBe(isWithin);
        const placed = [isAfter(one, at), isWithin, endsBefore(one, at)].filter(Boolean);
        expect(placed).toHaveLength(1);
      }),
    );
  });

  test('survives splitting a batch into chunks and joining them', () => {
    fc.assert(
      fc.property(batch, (one) => {
        expect(batchChunks(positionChunks(one))).toEqual(one.chunks.length > 0 ? [one] : []);
        expect(findBatchEnd(one).index - one.index).toBe(one.chunks.length);
      }),
    );
  });
});
