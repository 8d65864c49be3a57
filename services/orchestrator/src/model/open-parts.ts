// The parts of a stream that have begun and not ended. Ending them lets processors give out what they held back.
import type { Chunk } from '@millrace/contracts';

export type OpenParts = {
  see(chunks: readonly Chunk[]): void;
  /** The chunks that end what is open, in the order in which it began. */
  ends(): Chunk[];
};

export function createOpenParts(): OpenParts {
  const open = new Map<string, Chunk>();
  const seeOne = (chunk: Chunk) => {
    const { runId, from } = chunk;
    switch (chunk.type) {
      case 'text-start':
      case 'text-delta': {
        const { id } = chunk.payload;
        return void open.set(`text ${id}`, { type: 'text-end', runId, from, payload: { id } });
      }
      case 'reasoning-start':
      case 'reasoning-delta': {
        const { id } = chunk.payload;
        return void open.set(`reasoning ${id}`, { type: 'reasoning-end', runId, from, payload: { id } });
      }
      case 'tool-call-input-streaming-start': {
        const { toolCallId } = chunk.payload;
        const end = { type: 'tool-call-input-streaming-end' as const, runId, from, payload: { toolCallId } };
        return void open.set(`tool ${toolCallId}`, end);
      }
      case 'text-end':
        return void open.delete(`text ${chunk.payload.id}`);
      case 'reasoning-end':
        return void open.delete(`reasoning ${chunk.payload.id}`);
      case 'tool-call-input-streaming-end':
        return void open.delete(`tool ${chunk.payload.toolCallId}`);
      default:
        return;
    }
  };
  return { see: (chunks) => chunks.forEach(seeOne), ends: () => [...open.values()] };
}
