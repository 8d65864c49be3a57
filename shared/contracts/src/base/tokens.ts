// Defines tokens, the ids in subjects: tenants, runs, agents, processors, entries, services, replicas, tools.
import { z } from 'zod';

/**
 * Objects cannot have an ordinary member `__proto__`. Length and alphabet keep a token one NATS subject token and one
 * key-value key part. docs/architecture.md, Subjects.
 */
export const TOKEN_PATTERN = /^(?!__proto__$)[A-Za-z0-9_-]{1,64}$/;

export const tokenSchema = z.string().regex(TOKEN_PATTERN, 'must be 1 to 64 characters of A-Z, a-z, 0-9, "_" and "-"');

export const DEFAULT_TENANT = 'default';

export function isToken(value: string): boolean {
  return TOKEN_PATTERN.test(value);
}
