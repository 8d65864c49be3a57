// Reads a run to its end.
import type { Chunk } from '@millrace/contracts';
import type { Run } from '@millrace/client';

export async function collect(run: Run): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of run.fullStream) chunks.push(chunk);
  return chunks;
}

/** The concatenated text of a stream, retracted or not. */
export function joinText(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join('');
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Returns the value as JSON without UUIDs: an id may contain any four digits of a card. */
export const formatWithoutIds = (value: unknown): string => JSON.stringify(value).replaceAll(UUID, 'ID');
