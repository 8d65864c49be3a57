// Options of the pii processor.
import { getCountries, type CountryCode } from 'libphonenumber-js/min';
import { z } from 'zod';
import { defineToolArgumentsOption } from '../../guard/judge-tools.ts';
import { responseOption } from '../../guard/strategy-options.ts';
import { modelOption, modelTimeoutOption, defineWhenOption } from '../../model/model-options.ts';
import { METHODS } from './marks.ts';
import { NAME_TYPES } from './names/find-names.ts';
import { DEFAULT_TYPES, PII_TYPES } from './pii-types.ts';

const DEFAULT_REGIONS: CountryCode[] = ['US', 'GB', 'DE', 'FR', 'ES', 'IT', 'NL', 'AU'];

/** Maximum number of allowed values, because each hit is compared with all of them. */
const MAX_ALLOWED = 1_000;

export const piiOptions = z.strictObject({
  strategy: z
    .enum(['redact', 'block', 'warn', 'filter'])
    .default('redact')
    .describe(
      'redact: mark the value by `method`. block: stop the run. warn: report only. filter: drop the input message or tool result; in an answer, remove the value.',
    ),
  method: z
    .enum(METHODS)
    .default('mask')
    .describe(
      'Mark of redacted values. mask: ***@***.*** or [REDACTED]. hash: [EMAIL:<hash>]. remove: no mark. placeholder: [EMAIL_1].',
    ),
  types: z
    .array(z.enum(PII_TYPES))
    .min(1)
    .default([...DEFAULT_TYPES])
    .describe('Entity types to detect. Default: all except uuid, ip and url.'),
  regions: z
    .array(z.enum(getCountries()))
    .default(DEFAULT_REGIONS)
    .describe('Regions of phone numbers without a country code, as ISO 3166-1 alpha-2 codes.'),
  allow: z
    .array(z.string().min(1))
    .max(MAX_ALLOWED)
    .default([])
    .describe('Values that pass, case-insensitive. "@example.com" allows every address of a domain.'),
  strict: z
    .boolean()
    .default(false)
    .describe(
      'Also mark numbers that may be identifiers: without a word of their kind near ("phone", "card", "pay"), inside a code or a row of numbers, under a name such as id or sku.',
    ),
  toolArguments: defineToolArgumentsOption('personal data'),
  model: modelOption,
  modelTypes: z
    .array(z.enum(NAME_TYPES))
    .min(1)
    .default([...NAME_TYPES])
    .describe('Entity types that the model detects in messages and answers, in addition to the rules.'),
  when: defineWhenOption(
    'doubt',
    'call the model only for a text with a capitalized word, a script without capitals or a cue such as "my name"',
  ),
  modelTimeoutMs: modelTimeoutOption,
  response: responseOption,
});
export type PiiOptions = z.output<typeof piiOptions>;
