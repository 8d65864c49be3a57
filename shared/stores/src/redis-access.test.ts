import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@millrace/service';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readRedisAccess, redisAccessSchema } from './redis-access.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'millrace-redis-access-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const REDIS_URL = 'rediss://redis:6379';
function writeSecret(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
const readAccess = (env: Record<string, string>) => readConfig(redisAccessSchema, { REDIS_URL, ...env }).redisAccess;

describe('the access to Redis', () => {
  test('is empty without variables, so that the credentials of the address count', () => {
    expect(readAccess({})).toEqual({});
    expect(readAccess({ REDIS_USERNAME: '', REDIS_PASSWORD_FILE: '' })).toEqual({});
  });

  test('contains a user, with the password of a file at the time of its use', () => {
    const file = writeSecret('password', 'first\n');
    const access = readAccess({ REDIS_USERNAME: 'ada', REDIS_PASSWORD_FILE: file });
    expect(readRedisAccess(access)).toEqual({ username: 'ada', password: 'first' });
    writeSecret('password', 'second\r\n');
    expect(readRedisAccess(access)).toEqual({ username: 'ada', password: 'second' });
  });

  test('contains the files of TLS', () => {
    const [ca, cert, key] = ['ca', 'cert', 'key'].map((name) => writeSecret(name, name));
    const env = { REDIS_TLS_CA_FILE: ca ?? '', REDIS_TLS_CERT_FILE: cert ?? '', REDIS_TLS_KEY_FILE: key ?? '' };
    expect(readRedisAccess(readAccess(env))).toEqual({ tls: { ca: 'ca', cert: 'cert', key: 'key' } });
  });

  test.each<[string, Record<string, string>, string]>([
    ['two passwords', { REDIS_PASSWORD: 'a', REDIS_PASSWORD_FILE: 'b' }, 'REDIS_PASSWORD'],
    ['a user without a password', { REDIS_USERNAME: 'ada' }, 'REDIS_USERNAME'],
    ['credentials in the address too', { REDIS_URL: 'redis://:a@redis:6379', REDIS_PASSWORD: 'a' }, 'REDIS_URL'],
    [
      'TLS files and an address in plain text',
      { REDIS_URL: 'redis://redis', REDIS_TLS_CA_FILE: 'a' },
      'REDIS_TLS_CA_FILE',
    ],
    ['a certificate without its key', { REDIS_TLS_CERT_FILE: 'a' }, 'REDIS_TLS_CERT_FILE'],
    ['a missing file', { REDIS_PASSWORD_FILE: '/nowhere/password' }, 'REDIS_PASSWORD_FILE'],
    ['a missing authority', { REDIS_TLS_CA_FILE: '/nowhere/ca.pem' }, 'REDIS_TLS_CA_FILE'],
  ])('is rejected with the variable: %s', (_what, env, path) => {
    expect(() => readAccess(env)).toThrow(expect.objectContaining({ code: 'config-invalid' }));
    expect(() => readAccess(env)).toThrow(path);
  });

  test('is rejected if the file of the password is empty', () => {
    const file = writeSecret('password', '\n');
    expect(() => readAccess({ REDIS_PASSWORD_FILE: file })).toThrow(/REDIS_PASSWORD_FILE.*is empty/s);
  });

  test('names no password in an error', () => {
    const env = { REDIS_URL: 'redis://:hidden-1@redis', REDIS_PASSWORD: 'hidden-2', REDIS_TLS_KEY_FILE: 'x' };
    expect(() => readAccess(env)).toThrow(expect.not.stringContaining('hidden'));
  });
});
