// Tracks the started parts of a stream without an end. The end of a part marks whether its text is complete: if not,
// processors drop the text that they hold back.
import type { Chunk, ChunkOf } from './chunk.ts';

export type OpenParts = {
  observe(chunks: readonly Chunk[]): void;
  /**
   * Returns the chunks that end the open parts, in the order of their starts. @param complete false: the parts were cut
   * off
   */
  ends(complete: boolean): Chunk[];
};

type PartEnd = ChunkOf<'text-end'> | ChunkOf<'reasoning-end'> | ChunkOf<'tool-call-input-streaming-end'>;

/** Marks the end of a cut-off part: processors drop the undecided text that they hold back. */
export function cutOff(end: PartEnd): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same chunk, of the same type
  return { ...end, payload: { ...end.payload, complete: false } } as Chunk;
}

export function createOpenParts(): OpenParts {
  const open = new Map<string, PartEnd>();
  const begin = (key: string, end: () => PartEnd) => {
    if (!open.has(key)) open.set(key, end());
  };
  const observeOne = (chunk: Chunk) => {
    const { runId, from } = chunk;
    switch (chunk.type) {
      case 'text-start':
      case 'text-delta': {
        const { id } = chunk.payload;
        return begin(`text ${id}`, () => ({ type: 'text-end', runId, from, payload: { id } }));
      }
      case 'reasoning-start':
      case 'reasoning-delta': {
        const { id } = chunk.payload;
        return begin(`reasoning ${id}`, () => ({ type: 'reasoning-end', runId, from, payload: { id } }));
      }
      case 'tool-call-input-streaming-start':
      case 'tool-call-delta': {
        const { toolCallId } = chunk.payload;
        const type = 'tool-call-input-streaming-end';
        return begin(`tool ${toolCallId}`, () => ({ type, runId, from, payload: { toolCallId } }));
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
  return {
    observe: (chunks) => chunks.forEach(observeOne),
    ends: (complete) => [...open.values()].map((end) => (complete ? end : cutOff(end))),
  };
}
