// Summaries in the state of an entry, so that each step does not pay for them again. A summary belongs to the hash of the messages that
// it replaces: if one of them changes, it is not used.
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue, type Prompt } from '@millrace/contracts';
import type { DraftRange } from './draft-prompt.ts';

type StoredSummary = { messages: number; hash: string; text: string };

/** A prompt has few ranges: before, between and after the messages of a user that stay. */
const MAX_STORED = 4;

export function storeSummaries(state: JsonObject, prompt: Prompt, ranges: readonly DraftRange[]): void {
  const stored = ranges.flatMap(({ start, summary, summarized }): StoredSummary[] =>
    summary === ''
      ? []
      : [{ messages: summarized - start, hash: hashMessages(prompt, start, summarized), text: summary }],
  );
  state['summaries'] = stored.slice(-MAX_STORED);
}

/** Returns the range with the stored summary of its first messages. */
export function restoreSummary(state: JsonObject, prompt: Prompt, range: DraftRange): DraftRange {
  const found = readStored(state['summaries']).find(
    ({ messages, hash }) =>
      range.start + messages <= range.end && hash === hashMessages(prompt, range.start, range.start + messages),
  );
  return found ? { ...range, summary: found.text, summarized: range.start + found.messages } : range;
}

function readStored(value: JsonValue | undefined): StoredSummary[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    if (!isObject(one)) return [];
    const { messages, hash, text } = one;
    const isStored = typeof messages === 'number' && typeof hash === 'string' && typeof text === 'string';
    return isStored ? [{ messages, hash, text }] : [];
  });
}

function hashMessages(prompt: Prompt, start: number, end: number): string {
  const hash = createHash('sha256');
  for (const message of prompt.slice(start, end)) hash.update(`${JSON.stringify(message)}\n`);
  return hash.digest('base64url');
}
