import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from 'nats';
import { afterAll, describe, expect, test } from 'vitest';
import { readConnectionSettings } from './connection-settings.ts';
import { isExposed } from './secret-file.ts';
import { readUserKey } from './user-key.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-keys-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const user = nkeys.createUser();
const readSeed = (pair: { getSeed(): Uint8Array }) => Buffer.from(pair.getSeed()).toString();

function writeFile(name: string, text: string, mode = 0o600): string {
  const file = join(dir, name);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const catchError = (action: () => unknown): Error => {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
};

describe('the environment of a connection', () => {
  test('Without variables there are no settings, and empty ones count as absent', () => {
    expect(readConnectionSettings({})).toEqual({});
    expect(readConnectionSettings({ NATS_NKEY: '', NATS_TLS: '', NATS_USER: '' })).toEqual({});
  });

  test('The variables become settings', () => {
    const file = writeFile('any', 'x');
    expect(readConnectionSettings({ NATS_USER: 'ada', NATS_INBOX_PREFIX: '_INBOX.a' })).toEqual({
      user: 'ada',
      pass: '',
      inboxPrefix: '_INBOX.a',
    });
    expect(readConnectionSettings({ NATS_NKEY_FILE: 'f', NATS_TLS: 'required' })).toEqual({ nkeyFile: 'f', tls: {} });
    expect(
      readConnectionSettings({ NATS_TLS_CA_FILE: file, NATS_TLS_CERT_FILE: file, NATS_TLS_KEY_FILE: file }),
    ).toEqual({ tls: { caFile: file, certFile: file, keyFile: file } });
  });

  test.each([
    ['an unknown value of NATS_TLS', { NATS_TLS: 'yes' }, 'NATS_TLS'],
    ['a prefix that is not of inboxes', { NATS_INBOX_PREFIX: 'mr.v1' }, 'NATS_INBOX_PREFIX'],
    ['a missing CA', { NATS_TLS_CA_FILE: join(dir, 'none.pem') }, 'NATS_TLS_CA_FILE'],
    ['a certificate without its key', { NATS_TLS_CERT_FILE: 'x' }, 'NATS_TLS_KEY_FILE'],
    ['a key without its certificate', { NATS_TLS_KEY_FILE: 'x' }, 'NATS_TLS_CERT_FILE'],
    ['a user and a key', { NATS_USER: 'a', NATS_NKEY_FILE: 'x' }, 'NATS_USER'],
  ])('The variable is named: %s', (_what, env, path) =>
    expect(() => readConnectionSettings(env)).toThrow(expect.objectContaining({ code: 'config-invalid', path })),
  );
});

describe('the key of a NATS user', () => {
  test('A seed, a file with a seed and a credentials file give the public key', () => {
    const seed = readSeed(user);
    const nkeyFile = writeFile('user.nk', `# orchestrator\n${seed}\n`);
    const credsFile = writeFile(
      'user.creds',
      `-----BEGIN NATS USER JWT-----\neyJhbGciOiJlZDI1NTE5In0.e30.x\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    );
    for (const options of [{ nkeySeed: seed }, { nkeyFile }, { credsFile }])
      expect(readUserKey(options)?.publicKey).toBe(user.getPublicKey());
    expect(readUserKey({})).toBeUndefined();
  });

  const account = readSeed(nkeys.createAccount());
  // The last two bits of the last character are padding: A and B end the same seed.
  const broken = `${readSeed(user).slice(0, -1)}${readSeed(user).endsWith('A') ? 'E' : 'A'}`;
  mkdirSync(join(dir, 'folder'));
  test.each([
    ['several keys', { nkeySeed: 'x', credsFile: 'y' }, 'NATS_NKEY_FILE', 'several keys'],
    ['a missing file', { nkeyFile: join(dir, 'none') }, 'NATS_NKEY_FILE', 'does not exist'],
    ['a folder', { nkeyFile: join(dir, 'folder') }, 'NATS_NKEY_FILE', 'is not a file'],
    ['a large file', { nkeyFile: writeFile('large', 'x'.repeat(70_000)) }, 'NATS_NKEY_FILE', 'more than'],
    ['a file without a seed', { nkeyFile: writeFile('other', 'hello') }, 'NATS_NKEY_FILE', 'no NKEY seed'],
    ['a public key', { nkeySeed: user.getPublicKey() }, 'NATS_NKEY', 'no NKEY seed'],
    ['the seed of an account', { nkeySeed: account }, 'NATS_NKEY', 'the seed of an account, not of a user'],
    ['a wrong checksum', { nkeyFile: writeFile('broken', broken) }, 'NATS_NKEY_FILE', 'no valid NKEY seed'],
    ['no credentials', { credsFile: writeFile('seed-only', readSeed(user)) }, 'NATS_CREDS_FILE', "a user's JWT"],
  ])('The error names the variable and the problem, and no seed: %s', (_what, options, path, problem) => {
    const error = catchError(() => readUserKey(options));
    expect(error).toMatchObject({ code: 'config-invalid', path, message: expect.stringContaining(problem) });
    for (const seed of [readSeed(user), account, broken])
      expect(JSON.stringify([error, error.message, error.stack, error.cause])).not.toContain(seed.slice(0, 20));
  });

  test('A file on which the group or others have rights is exposed', () => {
    expect(isExposed(writeFile('private', 'x'))).toBe(false);
    expect(isExposed(writeFile('shared', 'x', 0o640))).toBe(true);
    expect(isExposed(writeFile('public', 'x', 0o604))).toBe(true);
  });
});
