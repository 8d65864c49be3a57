// Chunks of a test's run.
import type { Chunk } from '@millrace/contracts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { RUN_ID } from './run-states.ts';

export const delta = (text: string, id = 't'): Chunk =>
  makeChunk(RUN_ID, { type: 'text-delta', payload: { id, text } });
export const textStart = (id = 't'): Chunk => makeChunk(RUN_ID, { type: 'text-start', payload: { id } });
export const textEnd = (id = 't'): Chunk => makeChunk(RUN_ID, { type: 'text-end', payload: { id } });
/** Text in the form of a model's stream: one part, a delta for each piece. */
export const say = (...pieces: string[]): Chunk[] => [textStart(), ...pieces.map((piece) => delta(piece)), textEnd()];

export function dataChunk(name: string, data: unknown = {}): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- custom chunks are of the schema's other types
  return { type: `data-${name}`, runId: RUN_ID, from: 'AGENT', data } as unknown as Chunk;
}

export const listTypes = (chunks: readonly Chunk[]): string[] => chunks.map(({ type }) => type);
export const makeText = (chunks: readonly Chunk[]): string =>
  chunks.map((one) => (one.type === 'text-delta' ? one.payload.text : '')).join('');
