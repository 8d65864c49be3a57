// The options of the language processor.
import { z } from 'zod';
import { responseOption } from '../guard/strategy-options.ts';
import { modelOption, modelTimeoutOption, whenOption } from '../model/model-options.ts';

/** What eld knows, ISO 639-1. */
export const LANGUAGES: readonly string[] = (
  'am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy is it ja ka kn ko ku lo lt lv ml mr ms nl no or pa pl pt ' +
  'ro ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh'
).split(' ');

export const languageOptions = z
  .strictObject({
    targets: z
      .array(z.enum(LANGUAGES))
      .min(1)
      .default(['en'])
      .describe('the languages that are wanted, ISO 639-1; a message is translated to the first'),
    strategy: z
      .enum(['detect', 'block', 'warn', 'translate'])
      .default('detect')
      .describe(
        'detect: the language is noted in the message’s metadata; block: the run stops; warn: reported only; ' +
          'translate: the model translates the message',
      ),
    minTextLength: z.number().int().min(1).default(10).describe('letters; of less no language is told'),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.7)
      .describe('how sure the detection must be; below it, and of short texts, the language is a doubt, which passes'),
    model: modelOption,
    when: whenOption('doubt'),
    modelTimeoutMs: modelTimeoutOption,
    response: responseOption,
  })
  .refine(({ strategy, model }) => strategy !== 'translate' || model !== undefined, {
    message: 'translating takes a model',
    path: ['model'],
  });
export type LanguageOptions = z.output<typeof languageOptions>;
