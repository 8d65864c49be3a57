import { expect, test } from 'vitest';
import { identitySchema, keyRequestSchema } from './identity.ts';

test.each([
  ['an unknown scope', { scopes: ['root'] }],
  ['no scope', { scopes: [] }],
  ['a scope twice', { scopes: ['run', 'run'] }],
  ['an agent twice', { scopes: ['run'], agents: ['demo', 'demo'] }],
  ['no agent', { scopes: ['run'], agents: [] }],
  ['a subject with a space', { scopes: ['run'], subject: 'ada lovelace' }],
  ['an empty subject', { scopes: ['run'], subject: '' }],
  ['a limit of zero', { scopes: ['run'], limits: { streams: 0 } }],
  ['an unknown limit', { scopes: ['run'], limits: { runs: 1 } }],
  ['an expiry without a time zone', { scopes: ['run'], expiresAt: '2030-01-01T00:00:00' }],
  ['a tenant of its own', { scopes: ['run'], tenant: 'other' }],
])('The request of a key is rejected for %s', (_, request) => {
  expect(keyRequestSchema.safeParse(request).success).toBe(false);
});

test('An identity keeps no member that it does not have: a hash of a record is dropped', () => {
  const parsed = identitySchema.parse({ tenant: 'acme', scopes: ['run'], sha256: 'x', keyId: 'abcdefgh' });
  expect(parsed).toEqual({ tenant: 'acme', scopes: ['run'], keyId: 'abcdefgh' });
});
