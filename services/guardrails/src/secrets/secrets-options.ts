// The options of the secrets processor.
import { z } from 'zod';
import { toolArgumentsOption } from '../guard/judge-tools.ts';
import { responseOption } from '../guard/strategy-options.ts';
import { SECRET_RULES } from './detect-secrets.ts';

const DEFAULT_MIN_ENTROPY = 4.2;

export const secretsOptions = z.strictObject({
  strategy: z
    .enum(['redact', 'block', 'warn', 'filter'])
    .default('redact')
    .describe(
      'redact: what was found becomes [REDACTED]; block: the run stops; warn: reported only; ' +
        'filter: the input message or tool result is left out, in an answer what was found',
    ),
  rules: z
    .array(z.enum(SECRET_RULES))
    .min(1)
    .default([...SECRET_RULES])
    .describe(
      'what is looked for: private-key: PEM and PGP blocks; provider-key: keys in the formats of some sixty providers; jwt; bearer: ' +
        'bearer tokens and basic credentials; url-credentials: scheme://user:password@; named-secret: what stands under a name ' +
        'such as password or client_secret; high-entropy: what stands under any name and looks like a key',
    ),
  minEntropy: z
    .number()
    .min(0)
    .max(6)
    .default(DEFAULT_MIN_ENTROPY)
    .describe('how many bits a character a value must have to be taken for a key whatever its name (high-entropy)'),
  allow: z.array(z.string().min(1)).default([]).describe('values that may pass, as they stand'),
  toolArguments: toolArgumentsOption('secrets'),
  response: responseOption,
});
export type SecretsOptions = z.output<typeof secretsOptions>;
