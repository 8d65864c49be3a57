// Keeps the text of an answer before and after each entry of the output stream, if the agent records changes: each entry
// has a session of its own then, and its output passes the orchestrator.
import type { Chunk, PlanEntry } from '@millrace/contracts';
import type { EntryTexts } from '../changes/change-log.ts';

/** Longer texts are not recorded, UTF-16 code units. */
const MAX_CHARS = 128 * 1024;

export type StreamTexts = {
  /** Adds chunks that enter the session at this index or, after the last one, leave it. */
  observe(at: number, chunks: readonly Chunk[]): void;
  list(): EntryTexts[];
};

/** @param links the entries of each session, in order */
export function createStreamTexts(links: readonly (readonly PlanEntry[])[]): StreamTexts {
  const texts = [...links, undefined].map(() => '');
  return {
    observe(at, chunks) {
      const text = texts[at];
      if (text === undefined || text.length > MAX_CHARS) return;
      texts[at] = chunks.reduce((sum, one) => (one.type === 'text-delta' ? sum + one.payload.text : sum), text);
    },
    list() {
      return links.flatMap((entries, at) => {
        const [before = '', after = ''] = texts.slice(at, at + 2);
        const isWhole = before.length <= MAX_CHARS && after.length <= MAX_CHARS;
        return isWhole ? entries.map(({ entry }) => ({ entry, before, after })) : [];
      });
    },
  };
}
