// Options of the secrets processor.
import { z } from 'zod';
import { defineToolArgumentsOption } from '../../guard/judge-tools.ts';
import { responseOption } from '../../guard/strategy-options.ts';
import { SECRET_RULES } from './detect-secrets.ts';

const DEFAULT_MIN_ENTROPY = 4.2;

export const secretsOptions = z.strictObject({
  strategy: z
    .enum(['redact', 'block', 'warn', 'filter'])
    .default('redact')
    .describe(
      'redact: replace the secret by [REDACTED]. block: stop the run. warn: report only. filter: drop the input message or tool result; in an answer, remove the secret.',
    ),
  rules: z
    .array(z.enum(SECRET_RULES))
    .min(1)
    .default([...SECRET_RULES])
    .describe(
      'Kinds of secrets to detect. private-key: PEM and PGP blocks. provider-key: keys in the formats of about seventy providers. jwt: JSON Web Tokens. bearer: bearer tokens and basic credentials. url-credentials: scheme://user:password@. named-secret: values under a name such as password or client_secret. high-entropy: values with the form of a key, unquoted or under a name such as sealKey or auth.',
    ),
  minEntropy: z
    .number()
    .min(0)
    .max(6)
    .default(DEFAULT_MIN_ENTROPY)
    .describe('Minimum entropy of a high-entropy value, in bits per character.'),
  allow: z.array(z.string().min(1)).default([]).describe('Values that pass, compared exactly.'),
  toolArguments: defineToolArgumentsOption('secrets'),
  response: responseOption,
});
export type SecretsOptions = z.output<typeof secretsOptions>;
