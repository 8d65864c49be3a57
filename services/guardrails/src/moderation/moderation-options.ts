// The options of the moderation processor.
import { z } from 'zod';
import { responseOption } from '../guard/strategy-options.ts';
import { modelOption, modelTimeoutOption, whenOption } from '../model/model-options.ts';
import { CATEGORY_NAMES, DEFAULT_CATEGORIES } from './categories.ts';

const MAX_WORDS = 10_000;
const MAX_WORD = 200;

export const moderationOptions = z
  .strictObject({
    mode: z
      .enum(['model', 'words'])
      .default('model')
      .describe(
        'model: a model judges; words: a list of swear words in nine languages and your own, and no more than that: it knows no ' +
          'meaning, no threat, no hatred in plain words',
      ),
    model: modelOption,
    when: whenOption('always'),
    modelTimeoutMs: modelTimeoutOption,
    categories: z
      .array(z.enum(CATEGORY_NAMES))
      .min(1)
      .default(DEFAULT_CATEGORIES)
      .describe('what the model judges; all but profanity unless they are named'),
    threshold: z.number().min(0).max(1).default(0.5).describe('from which score on a category counts, 0 to 1'),
    strategy: z
      .enum(['block', 'warn', 'filter'])
      .default('block')
      .describe(
        'block: the run stops; warn: reported only; filter: the message is left out, in an answer the window (or the word)',
      ),
    window: z
      .number()
      .int()
      .min(50)
      .max(10_000)
      .default(200)
      .describe('of a streamed answer so much is held back and judged at once, code units'),
    context: z
      .number()
      .int()
      .min(0)
      .max(10_000)
      .default(50)
      .describe('so much of what stands before a window is judged with it, code units'),
    words: z
      .array(z.string().trim().min(1).max(MAX_WORD))
      .max(MAX_WORDS)
      .default([])
      .describe('more words and phrases for the list'),
    response: responseOption,
  })
  .refine(({ mode, model }) => mode === 'words' || model !== undefined, {
    message: 'a model is needed, or mode: words',
    path: ['model'],
  });
export type ModerationOptions = z.output<typeof moderationOptions>;
