// The options of the pii processor.
import { getCountries, type CountryCode } from 'libphonenumber-js/min';
import { z } from 'zod';
import { toolArgumentsOption } from '../guard/judge-tools.ts';
import { responseOption } from '../guard/strategy-options.ts';
import { modelOption, modelTimeoutOption, whenOption } from '../model/model-options.ts';
import { METHODS } from './marks.ts';
import { NAME_TYPES } from './names/name-question.ts';
import { DEFAULT_TYPES, PII_TYPES } from './pii-types.ts';

const DEFAULT_REGIONS: CountryCode[] = ['US', 'GB', 'DE', 'FR', 'ES', 'IT', 'NL', 'AU'];

/** Every hit is compared with all of them. */
const MAX_ALLOWED = 1_000;

export const piiOptions = z.strictObject({
  strategy: z
    .enum(['redact', 'block', 'warn', 'filter'])
    .default('redact')
    .describe(
      'redact: marked by `method`; block: the run stops; warn: reported only; ' +
        'filter: the input message or tool result is left out, in an answer what was found',
    ),
  method: z
    .enum(METHODS)
    .default('mask')
    .describe('how redact marks: ***@***.*** or [REDACTED], [EMAIL:<hash>], nothing, [EMAIL_1]'),
  types: z
    .array(z.enum(PII_TYPES))
    .min(1)
    .default([...DEFAULT_TYPES])
    .describe('what is looked for; all but uuid, ip and url unless they are named'),
  regions: z
    .array(z.enum(getCountries()))
    .default(DEFAULT_REGIONS)
    .describe('where phone numbers without a country code may be from, ISO 3166-1 alpha-2'),
  allow: z
    .array(z.string().min(1))
    .max(MAX_ALLOWED)
    .default([])
    .describe('values that may pass, in any case; "@example.com" for every address of a domain'),
  toolArguments: toolArgumentsOption('personal data'),
  model: modelOption,
  modelTypes: z
    .array(z.enum(NAME_TYPES))
    .min(1)
    .default([...NAME_TYPES])
    .describe('what the model looks for in messages and answers, beside the rules'),
  when: whenOption('doubt'),
  modelTimeoutMs: modelTimeoutOption,
  response: responseOption,
});
export type PiiOptions = z.output<typeof piiOptions>;
