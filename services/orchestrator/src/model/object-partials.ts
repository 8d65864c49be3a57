// The object of an answer while it is written: made by the orchestrator alone, from text that the output chain has let through.
import type { Chunk } from '@millrace/contracts';
import { createPartialJson } from './partial-json.ts';

/** Each is the whole object so far: of longer answers there are no more. UTF-16 code units. */
const MAX_CHARS = 32 * 1024;
/** One comes when its text has grown by such a part: all of them together are so many times the object, however small its pieces. */
const GROWS_BY = 1 / 64;

export type ObjectPartials = {
  /** What is published behind these chunks: where they have changed the object. */
  after(chunks: readonly Chunk[]): Chunk[];
};

export function createObjectPartials(runId: string): ObjectPartials {
  const partial = createPartialJson();
  let chars = 0;
  let last = '';
  let nextAt = 0;
  return {
    after(chunks) {
      const text = chunks.map((one) => (one.type === 'text-delta' ? one.payload.text : '')).join('');
      chars += text.length;
      if (text === '' || chars > MAX_CHARS) return [];
      partial.add(text);
      if (chars < nextAt) return [];
      nextAt = chars * (1 + GROWS_BY);
      const object = partial.value();
      const written = JSON.stringify(object);
      if (object === undefined || written === last) return [];
      last = written;
      return [{ type: 'object', runId, from: 'AGENT', object }];
    },
  };
}

/** For an answer of which nobody sees anything before it was judged as a whole, or that is no object. */
export const NO_OBJECTS: ObjectPartials = { after: () => [] };
