// Options of the language processor.
import { z } from 'zod';
import { responseOption } from '../../guard/strategy-options.ts';
import { modelOption, modelTimeoutOption, defineWhenOption } from '../../model/model-options.ts';

/** Languages that eld detects, ISO 639-1. */
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
      .describe('Wanted languages, as ISO 639-1 codes. Messages are translated to the first one.'),
    strategy: z
      .enum(['detect', 'block', 'warn', 'translate'])
      .default('detect')
      .describe(
        'detect: add the language to the message’s metadata. block: stop the run. warn: report only. translate: translate the message with the model.',
      ),
    minTextLength: z.number().int().min(1).default(10).describe('Minimum number of letters for a detection.'),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.7)
      .describe('Minimum score of a detection. A message below it, or with a short text, is uncertain and passes.'),
    model: modelOption,
    when: defineWhenOption('doubt'),
    modelTimeoutMs: modelTimeoutOption,
    response: responseOption,
  })
  .refine(({ strategy, model }) => strategy !== 'translate' || model !== undefined, {
    message: 'the strategy translate needs a model',
    path: ['model'],
  })
  .meta({ anyOf: [{ required: ['model'] }, { properties: { strategy: { not: { const: 'translate' } } } }] });
export type LanguageOptions = z.output<typeof languageOptions>;
