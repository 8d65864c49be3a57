// Streams partial objects of an answer: built by the orchestrator only, from text that passed the output chain.
import type { Chunk } from '@millrace/contracts';
import { createPartialJson } from './partial-json.ts';

/** Each partial object repeats the object so far: longer answers have none. UTF-16 code units. */
const MAX_CHARS = 32 * 1024;
/**
 * Minimum growth between two partial objects: bounds their total size to a multiple of the object, however small its
 * pieces are.
 */
const GROWS_BY = 1 / 64;

export type ObjectPartials = {
  /** Returns the partial objects to publish after these chunks, if they have changed the object. */
  makePartials(chunks: readonly Chunk[]): Chunk[];
};

export function createObjectPartials(runId: string): ObjectPartials {
  const partial = createPartialJson();
  let chars = 0;
  let last = '';
  let nextAt = 0;
  return {
    makePartials(chunks) {
      const text = chunks.map((one) => (one.type === 'text-delta' ? one.payload.text : '')).join('');
      chars += text.length;
      if (text === '' || chars > MAX_CHARS) return [];
      partial.add(text);
      if (chars < nextAt) return [];
      nextAt = chars * (1 + GROWS_BY);
      const object = partial.readValue();
      const written = JSON.stringify(object);
      if (object === undefined || written === last) return [];
      last = written;
      return [{ type: 'object', runId, from: 'AGENT', object }];
    },
  };
}

/** For an answer that is released only after it was judged as a whole, or that is no object. */
export const NO_OBJECTS: ObjectPartials = { makePartials: () => [] };
