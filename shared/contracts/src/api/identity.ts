// Defines identities: the tenant, the subject and the scopes of a credential. services/auth verifies a credential on
// auth.verify, and announces revoked keys on auth.revoked. Receivers of a credential never read its parts themselves.
import { z } from 'zod';
import { wireErrorSchema } from '../base/errors.ts';
import { budgetAmountSchema } from '../run/budget.ts';
import { threadIdSchema } from '../run/run.ts';
import { storedVersionSchema } from '../base/stored-version.ts';
import { tokenSchema } from '../base/tokens.ts';

/** `act-as`: the caller may name another subject. `operate` and `admin` are rights of operators. */
export const SCOPES = ['run', 'read', 'answer', 'act-as', 'operate', 'admin'] as const;
export const scopeSchema = z.enum(SCOPES);
export type Scope = z.infer<typeof scopeSchema>;

const MAX_LABEL_LENGTH = 100;
const MAX_KEY_AGENTS = 64;
/** A JWT of an identity provider has a few kilobytes. */
const MAX_CREDENTIAL_LENGTH = 16_384;

const atLeastOne = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
/** The gateway enforces the limits of a credential. */
export const identityLimitsSchema = z.strictObject({
  requestsPerMinute: atLeastOne.optional(),
  streams: atLeastOne.optional().describe('streams that are open at the same time'),
  tokensPerDay: atLeastOne.optional().describe('tokens of models in one day, UTC'),
  costPerDay: budgetAmountSchema.optional().describe('cost of models in one day, UTC; orchestrators enforce it'),
  costPerMonth: budgetAmountSchema.optional().describe('the same in one month'),
});
export type IdentityLimits = z.infer<typeof identityLimitsSchema>;

const areUnique = (values: readonly string[]) => new Set(values).size === values.length;
const scopesSchema = z.array(scopeSchema).min(1, 'has no scope').refine(areUnique, 'lists a scope twice');
export const keyAgentsSchema = z
  .array(tokenSchema)
  .min(1, 'is empty: leave it out to allow every agent')
  .max(MAX_KEY_AGENTS)
  .refine(areUnique, 'lists an agent twice');

export const keyIdSchema = z.string().regex(/^[A-Za-z0-9]{8,32}$/, 'must be 8 to 32 characters of A-Z, a-z and 0-9');
const timeSchema = z.iso.datetime().describe('ISO 8601, UTC');

const granted = {
  subject: threadIdSchema.optional().describe('absent: an operator, or a caller that names its subject (act-as)'),
  scopes: scopesSchema,
  agents: keyAgentsSchema.optional().describe('agents that may be run; absent: every agent of the tenant'),
  limits: identityLimitsSchema.optional(),
  expiresAt: timeSchema.optional(),
};

export const identitySchema = z.object({
  tenant: tokenSchema,
  ...granted,
  keyId: keyIdSchema.optional().describe('absent: the credential is a JWT'),
});
export type Identity = z.infer<typeof identitySchema>;

export const verifyRequestSchema = z.object({
  credential: z
    .string()
    .min(1, 'is empty')
    .max(MAX_CREDENTIAL_LENGTH, `has more than ${MAX_CREDENTIAL_LENGTH} characters`),
});
export const verifyReplySchema = z.union([z.object({ ok: identitySchema }), z.object({ error: wireErrorSchema })]);
/** Rights that a bus token may have: those of an end client on its own runs. */
export const exchangeScopesSchema = z
  .array(scopeSchema.extract(['run', 'read', 'answer']))
  .min(1, 'has no scope')
  .refine(areUnique, 'lists a scope twice');
export const BUS_TOKEN_SECONDS = { min: 30, max: 3_600, default: 300 } as const;
/** Exchanges a credential for a bus token, with which a page connects to NATS. */
export const exchangeRequestSchema = z.object({
  ...verifyRequestSchema.shape,
  scopes: exchangeScopesSchema,
  subject: threadIdSchema
    .optional()
    .describe('of the token; default: that of the credential; another one needs act-as'),
  ttlSeconds: z.number().int().min(BUS_TOKEN_SECONDS.min).max(BUS_TOKEN_SECONDS.max),
});
export type ExchangeRequest = z.infer<typeof exchangeRequestSchema>;
const busTokenSchema = z.object({
  token: z.string(),
  tenant: tokenSchema,
  subject: threadIdSchema,
  scopes: exchangeScopesSchema,
  expiresAt: timeSchema,
});
export const exchangeReplySchema = z.union([z.object({ ok: busTokenSchema }), z.object({ error: wireErrorSchema })]);
export type ExchangeReply = z.infer<typeof exchangeReplySchema>;

/** A replica of auth announces it when the replica itself refuses the key. */
export const revokedKeySchema = z.object({ keyId: keyIdSchema });

/** Request of keys-create. The tenant is that of the subject of the request. */
export const keyRequestSchema = z.strictObject({
  ...granted,
  label: z.string().trim().min(1).max(MAX_LABEL_LENGTH).optional().describe('a note for the list of keys'),
});
export type KeyRequest = z.infer<typeof keyRequestSchema>;

/** A key without its secret. */
export const shownKeySchema = keyRequestSchema.extend({ id: keyIdSchema, createdAt: timeSchema });
export type ShownKey = z.infer<typeof shownKeySchema>;

/** The stored form of a key: the SHA-256 of its secret in hexadecimal digits, never the secret. */
export const keyRecordSchema = z.object({
  v: storedVersionSchema,
  ...shownKeySchema.shape,
  tenant: tokenSchema,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type KeyRecord = z.infer<typeof keyRecordSchema>;
