// Options of the keyword processor.
import { z } from 'zod';
import { requireOneList, responseOption } from '../../guard/strategy-options.ts';
import { streamPatternSchema, boundPatterns } from '../../text/linear-pattern.ts';

/** Maximum length of a keyword, in code units. Together with MAX_TOKEN it bounds the text that a keyword can buffer. */
export const MAX_KEYWORD = 200;
const MAX_KEYWORDS = 10_000;
const MAX_PATTERNS = 100;

export const keywordOptions = z
  .strictObject({
    keywords: z
      .array(z.string().trim().min(1).max(MAX_KEYWORD))
      .max(MAX_KEYWORDS)
      .default([])
      .describe(
        'Words and phrases. A keyword of letters only is also found if it is split by punctuation, spaced out or written with accents.',
      ),
    patterns: z
      .array(streamPatternSchema)
      .max(MAX_PATTERNS)
      .default([])
      .describe('Regular expressions (RE2), case-insensitive. A match has at most 512 characters.'),
    wholeWords: z.boolean().default(true).describe('Whether a keyword matches whole words only.'),
    strategy: z
      .enum(['block', 'redact', 'warn'])
      .default('block')
      .describe('block: stop the run. redact: replace each match by [REDACTED]. warn: report only.'),
    response: responseOption,
  })
  .refine(({ keywords, patterns }) => keywords.length + patterns.length > 0, {
    message: 'set at least one keyword or pattern',
    path: ['keywords'],
  })
  .superRefine(boundPatterns('patterns', ({ patterns }) => patterns))
  .meta(requireOneList('keywords', 'patterns'));
export type KeywordOptions = z.output<typeof keywordOptions>;
