// The words of a model's answer as it said them, before anybody has judged them. They go nowhere: they say only whether an object was whole
// before processors changed it.
import type { Chunk } from '@millrace/contracts';

/** An answer holds no more. UTF-16 code units. */
const MAX_CHARS = 1024 * 1024;

export type SaidText = {
  see(chunks: readonly Chunk[]): void;
  /** undefined: there was too much of it. */
  text(): string | undefined;
};

export function createSaidText(): SaidText {
  let text: string | undefined = '';
  return {
    see(chunks) {
      for (const chunk of chunks) if (text !== undefined && chunk.type === 'text-delta') text += chunk.payload.text;
      if (text !== undefined && text.length > MAX_CHARS) text = undefined;
    },
    text: () => text,
  };
}
