import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@millrace/service';
import { expect, onTestFinished, test } from 'vitest';
import { jwtConfigSchema, readJwtSettings } from './jwt-config.ts';

const URL = 'https://issuer.example/jwks';
const read = (env: Record<string, string>) => readJwtSettings(readConfig(jwtConfigSchema, env));
const own = { AUTH_JWT_ISSUER: 'https://issuer.example', AUTH_JWT_AUDIENCE: 'millrace' };

test('Without variables there is no issuer, and a complete set has asymmetric algorithms and own rights only', () => {
  expect(read({})).toBeUndefined();
  expect(read({ ...own, AUTH_JWT_JWKS_URL: URL })).toMatchObject({
    issuer: 'https://issuer.example',
    audience: 'millrace',
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    keySet: { url: URL },
    claims: { tenant: 'default', scopes: { run: ['run'], read: ['read'], answer: ['answer'] } },
  });
});

test('The key set is read from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-jwks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'jwks.json');
  writeFileSync(file, '{"keys":[]}');
  expect(read({ ...own, AUTH_JWT_JWKS_FILE: file })?.keySet).toEqual({ file, text: '{"keys":[]}' });
});

test.each([
  ['AUTH_JWT_AUDIENCE', { AUTH_JWT_ISSUER: 'x', AUTH_JWT_JWKS_URL: URL }],
  ['AUTH_JWT_ISSUER', { AUTH_JWT_AUDIENCE: 'x', AUTH_JWT_JWKS_URL: URL }],
  ['AUTH_JWT_JWKS_URL', own],
  ['AUTH_JWT_JWKS_URL', { ...own, AUTH_JWT_JWKS_URL: URL, AUTH_JWT_JWKS_FILE: '/jwks' }],
  ['AUTH_JWT_JWKS_URL', { ...own, AUTH_JWT_JWKS_URL: 'http://issuer.example/jwks' }],
  ['AUTH_JWT_JWKS_URL', { ...own, AUTH_JWT_JWKS_URL: 'http://localhost.evil.example/jwks' }],
  ['AUTH_JWT_JWKS_FILE', { ...own, AUTH_JWT_JWKS_FILE: '/nowhere/jwks.json' }],
  ['AUTH_JWT_ALGORITHMS', { ...own, AUTH_JWT_JWKS_URL: URL, AUTH_JWT_ALGORITHMS: 'HS256' }],
  ['AUTH_JWT_ALGORITHMS', { ...own, AUTH_JWT_JWKS_URL: URL, AUTH_JWT_ALGORITHMS: 'none' }],
  ['AUTH_JWT_SCOPES', { ...own, AUTH_JWT_JWKS_URL: URL, AUTH_JWT_SCOPES: '{"a":["root"]}' }],
  ['AUTH_JWT_SCOPES', { ...own, AUTH_JWT_JWKS_URL: URL, AUTH_JWT_SCOPES: 'run' }],
])('A wrong set of variables is rejected by the name of %s: %j', (variable, env) => {
  expect(() => read(env)).toThrow(
    expect.objectContaining({ code: 'config-invalid', message: expect.stringContaining(variable) }),
  );
});
