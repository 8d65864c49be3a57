// Allow-list of words with which people ask about a quotation. A text with any other word may request the quoted
// content, in any language or spelling. The list excludes words for the model, verbs of doing and starting, imperatives
// other than those of looking, and words for instructions.
import { z } from 'zod';
import { DATA, readDataFolder, wordLines } from './data-files.ts';

/** `examples.asks`: texts with these words only. `orders`: texts with another word. */
const mentionFileSchema = z.strictObject({
  language: z.string(),
  words: wordLines,
  examples: z.strictObject({ asks: z.array(z.string()).min(1), orders: z.array(z.string()).min(1) }),
});
export const MENTION_FILES: ReadonlyMap<string, z.infer<typeof mentionFileSchema>> = readDataFolder(
  new URL('mentions/', DATA),
  mentionFileSchema,
);

const words = new Set([...MENTION_FILES.values()].flatMap((file) => file.words.split(' ')));
/** Phrases in which these words only mean looking. */
const turns =
  /\btrying to do\b|\bhow do (?:i|we|they|people)\b|\bcompose an? (?:faq entry|title|headline|explanation)\b|\b(?:somebody|someone|they|he|she) put\b|\b(?:tweet|post|message|sign|slide|mail|poster|headline|comment|title|line) reads?\b/g;
/** An unpaired quotation mark is not in this set. */
const between = /[\s.,;:!?\u00bf\u00a1()\u2026\u2013\u2014'0-9-]+/;

/** Returns the number of words if all of them may surround a quotation in a question; otherwise undefined. */
export function countMentionWords(text: string): number | undefined {
  const found = text
    .toLowerCase()
    .replace(turns, ' the the ')
    .split(between)
    .filter((word) => word !== '');
  return found.every((word) => words.has(word)) ? found.length : undefined;
}
