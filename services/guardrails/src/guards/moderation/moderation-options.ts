// Options of the moderation processor.
import { z } from 'zod';
import { responseOption } from '../../guard/strategy-options.ts';
import { modelOption, modelTimeoutOption, defineWhenOption } from '../../model/model-options.ts';
import { CATEGORY_NAMES, DEFAULT_CATEGORIES } from './moderation-question.ts';

const MAX_WORDS = 10_000;
const MAX_WORD = 200;

export const moderationOptions = z
  .strictObject({
    mode: z
      .enum(['model', 'words'])
      .default('model')
      .describe(
        'model: a model judges the text. words: a list of swear words in nine languages plus `words`, which detects no meaning, no threats, and no hatred in plain words.',
      ),
    model: modelOption,
    when: defineWhenOption('always'),
    modelTimeoutMs: modelTimeoutOption,
    categories: z
      .array(z.enum(CATEGORY_NAMES))
      .min(1)
      .default(DEFAULT_CATEGORIES)
      .describe('Categories that the model judges. Default: all except profanity.'),
    threshold: z.number().min(0).max(1).default(0.5).describe('Score (0 to 1) at or above which a category counts.'),
    strategy: z
      .enum(['block', 'warn', 'filter'])
      .default('block')
      .describe(
        'block: stop the run. warn: report only. filter: drop the message, or in an answer the window (or the word).',
      ),
    window: z
      .number()
      .int()
      .min(50)
      .max(10_000)
      .default(200)
      .describe('Length of a window of the streamed answer that is buffered and judged at once, in code units.'),
    context: z
      .number()
      .int()
      .min(0)
      .max(10_000)
      .default(50)
      .describe('Overlap with the preceding window, in code units.'),
    words: z
      .array(z.string().trim().min(1).max(MAX_WORD))
      .max(MAX_WORDS)
      .default([])
      .describe('Additional words and phrases for the list.'),
    response: responseOption,
  })
  .refine(({ mode, model }) => mode === 'words' || model !== undefined, {
    message: 'set a model, or mode: words',
    path: ['model'],
  })
  .meta({ anyOf: [{ required: ['model'] }, { properties: { mode: { const: 'words' } }, required: ['mode'] }] });
export type ModerationOptions = z.output<typeof moderationOptions>;
