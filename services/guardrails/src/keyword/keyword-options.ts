// The options of the keyword processor.
import { z } from 'zod';
import { responseOption } from '../guard/strategy-options.ts';
import { patternSchema } from '../text/linear-pattern.ts';

/** Code units; with MAX_TOKEN it bounds what a keyword can hold back. */
export const MAX_KEYWORD = 200;
const MAX_KEYWORDS = 10_000;
const MAX_PATTERNS = 100;

/** A stream has no beginning or end that a stretch of it could know. */
const streamPattern = patternSchema.refine(
  (source) => !hasAnchor(source),
  'anchors (^, $, \\A, \\z) have no place in a stream',
);

export const keywordOptions = z
  .strictObject({
    keywords: z
      .array(z.string().trim().min(1).max(MAX_KEYWORD))
      .max(MAX_KEYWORDS)
      .default([])
      .describe('words and phrases'),
    patterns: z
      .array(streamPattern)
      .max(MAX_PATTERNS)
      .default([])
      .describe('regular expressions (RE2), upper and lower case the same, matches of at most 512 characters'),
    wholeWords: z.boolean().default(true).describe('whether a keyword must be whole words'),
    strategy: z
      .enum(['block', 'redact', 'warn'])
      .default('block')
      .describe('block: the run stops; redact: what was found becomes [REDACTED]; warn: reported only'),
    response: responseOption,
  })
  .refine(({ keywords, patterns }) => keywords.length + patterns.length > 0, {
    message: 'at least one keyword or pattern is needed',
    path: ['keywords'],
  });
export type KeywordOptions = z.output<typeof keywordOptions>;

function hasAnchor(source: string): boolean {
  const withoutEscapes = source.replace(/\\[^]/g, (escape) => (/[Az]/.test(escape.charAt(1)) ? '^' : ''));
  return /[\^$]/.test(withoutEscapes.replace(/\[\^?\]?[^\]]*\]/g, ''));
}
