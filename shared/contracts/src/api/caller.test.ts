import { describe, expect, test } from 'vitest';
import { OPERATOR_CALLER, hashCaller, isOperator, readOwner } from './caller.ts';
import { isToken } from '../base/tokens.ts';

describe('the caller of an identity', () => {
  test('is the hash that docs/wire.md specifies', async () => {
    // printf '["acme","alice@example.com"]' | sha256sum
    expect(await hashCaller('acme', 'alice@example.com')).toBe('c425a868a80b1e0ea6640af16d5d1c0cd');
  });

  test('is a token that differs between tenants and identities, and is never an operator', async () => {
    const identities: [string, string][] = [
      ['acme', 'alice'],
      ['acme', 'bob'],
      ['other', 'alice'],
      ['acme', 'operator'],
      ['a', 'b","c'],
      ['a","b', 'c'],
    ];
    const callers = await Promise.all(identities.map(([tenant, subject]) => hashCaller(tenant, subject)));
    expect(new Set(callers).size).toBe(identities.length);
    for (const caller of callers)
      expect({ caller, ok: isToken(caller) && !isOperator(caller) }).toMatchObject({ ok: true });
  });
});

test('A record without a caller belongs to operators', () => {
  expect(readOwner({})).toBe(OPERATOR_CALLER);
  expect(readOwner({ caller: 'c1' })).toBe('c1');
});
