// Keeps the text of an answer at memory's position among the sessions of its step.
import type { Chunk, PlanEntry } from '@millrace/contracts';
import { joinText } from '../transcript/message-chunks.ts';

export type StoredText = {
  /** Adds chunks that enter the session at this index or, after the last one, leave it. */
  observe(at: number, chunks: readonly Chunk[]): void;
  read(): string;
};

/**
 * Returns undefined if no entry of the stream follows memory.
 * @param links the entries of each session, in order; none has entries on both sides of memory
 * @param after names of the entries that follow memory
 */
export function createStoredText(
  links: readonly (readonly PlanEntry[])[],
  after: ReadonlySet<string>,
): StoredText | undefined {
  const place = links.findIndex((entries) => entries.some(({ entry }) => after.has(entry)));
  if (place < 0) return undefined;
  let text = '';
  return {
    observe(at, chunks) {
      if (at === place) text += joinText(chunks);
    },
    read: () => text,
  };
}
