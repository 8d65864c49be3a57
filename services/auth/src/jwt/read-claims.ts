// Converts the claims of a verified token to an identity, by the configured table. Pure.
import { threadIdSchema, tokenSchema, type Identity, type Scope } from '@millrace/contracts';
import type { ClaimTable } from './jwt-config.ts';

export type Claims = Readonly<Record<string, unknown>>;
/** `refused`: the reason, for the log. */
export type ClaimedIdentity = { ok: Identity } | { refused: string };

/** @param claims of a token with a valid signature */
export function readClaims(claims: Claims, table: ClaimTable): ClaimedIdentity {
  const { tenantClaim, subjectClaim, scopesClaim } = table;
  const tenant = tokenSchema.safeParse(tenantClaim === undefined ? table.tenant : readClaim(claims, tenantClaim));
  if (!tenant.success) return { refused: `the claim ${tenantClaim} is not a tenant` };
  const subject = threadIdSchema.safeParse(readClaim(claims, subjectClaim));
  if (!subject.success) return { refused: `the claim ${subjectClaim} is not a subject` };
  const scopes = mapScopes(readClaim(claims, scopesClaim), table.scopes);
  if (scopes.length === 0) return { refused: `the claim ${scopesClaim} has no scope of AUTH_JWT_SCOPES` };
  const { exp } = claims;
  if (typeof exp !== 'number' || !isTime(exp)) return { refused: 'the claim exp is not a time' };
  const expiresAt = new Date(exp * 1_000).toISOString();
  return { ok: { tenant: tenant.data, subject: subject.data, scopes, expiresAt } };
}

/** Seconds until the year 9999. */
const MAX_SECONDS = 253_402_300_799;
const isTime = (seconds: number): boolean => seconds > 0 && seconds <= MAX_SECONDS;

/** Reads the claim of that name; otherwise the name is a path, such as `realm_access.roles`. Own members only. */
function readClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const key of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

/** @param claim a list of texts, or one text with spaces between its values */
function mapScopes(claim: unknown, table: ClaimTable['scopes']): Scope[] {
  const values = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  const named = values.filter((value): value is string => typeof value === 'string');
  return [...new Set(['*', ...named.filter((value) => value !== '*')])]
    .flatMap((value) => (Object.hasOwn(table, value) ? (table[value] ?? []) : []))
    .filter((scope, at, all) => all.indexOf(scope) === at);
}
