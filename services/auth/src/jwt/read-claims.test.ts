import { expect, test } from 'vitest';
import type { ClaimTable } from './jwt-config.ts';
import { readClaims } from './read-claims.ts';

const table: ClaimTable = {
  tenant: 'default',
  tenantClaim: undefined,
  subjectClaim: 'sub',
  scopesClaim: 'scope',
  scopes: { chat: ['run', 'read'], staff: ['answer', 'read'] },
};
const exp = Date.parse('2030-01-01T00:00:00.000Z') / 1_000;
const read = (claims: object, more: Partial<ClaimTable> = {}) =>
  readClaims({ sub: 'ada', scope: 'chat', exp, ...claims }, { ...table, ...more });

test('Claims become an identity by the table, with the expiry of the token', () => {
  expect(read({ scope: 'chat staff unknown' })).toEqual({
    ok: {
      tenant: 'default',
      subject: 'ada',
      scopes: ['run', 'read', 'answer'],
      expiresAt: '2030-01-01T00:00:00.000Z',
    },
  });
});

test('Names of scopes in a token count for nothing unless the table has them', () => {
  for (const scope of ['operate', 'admin', 'act-as', 'run', '*', 'constructor', '__proto__', ['operate'], 7, null])
    expect(read({ scope })).toEqual({ refused: expect.stringContaining('scope') });
  expect(read({ scope: 'boss' }, { scopes: { boss: ['operate'] } })).toMatchObject({ ok: { scopes: ['operate'] } });
});

test('The entry * of the table holds for every token, and no claim can name it', () => {
  expect(read({ scope: undefined }, { scopes: { '*': ['read'] } })).toMatchObject({ ok: { scopes: ['read'] } });
});

test('A claim is found by its whole name first, and then by its path through own members', () => {
  const roles = { scopesClaim: 'realm_access.roles' };
  expect(read({ realm_access: { roles: ['chat'] } }, roles)).toMatchObject({ ok: { scopes: ['run', 'read'] } });
  expect(read({ 'realm_access.roles': ['staff'], realm_access: { roles: ['chat'] } }, roles)).toMatchObject({
    ok: { scopes: ['answer', 'read'] },
  });
  expect(read({}, { scopesClaim: 'constructor.name' })).toHaveProperty('refused');
});

test.each([
  ['no subject', { sub: undefined }, {}],
  ['a subject with a space', { sub: 'ada lovelace' }, {}],
  ['a subject that is a number', { sub: 7 }, {}],
  ['no tenant in the claim of the tenant', {}, { tenantClaim: 'org' }],
  ['a tenant that is no token', { org: 'a.b' }, { tenantClaim: 'org' }],
  ['a tenant that is a wildcard', { org: '*' }, { tenantClaim: 'org' }],
  ['no expiry', { exp: undefined }, {}],
  ['an expiry that is no time', { exp: 1e30 }, {}],
])('A token with %s is refused', (_, claims, more) => {
  expect(read(claims, more)).toEqual({ refused: expect.any(String) });
});

test('The tenant of the claim replaces the configured one', () => {
  expect(read({ org: 'acme' }, { tenantClaim: 'org' })).toMatchObject({ ok: { tenant: 'acme' } });
});
