import { createSubjects } from '@millrace/contracts';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { locateCalloutKeyFile, openCalloutKeys, parseCalloutKey } from './callout-keys.ts';
import { openKeyFolder, locateUsersFile } from './key-folder.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'millrace-keys-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const NAMES = ['issuer', 'encryption', 'system'] as const;
const readSeed = (name: (typeof NAMES)[number]) => readFileSync(locateCalloutKeyFile(folder, name), 'utf8').trim();

test('Each key is created once, of its own kind and readable by its owner alone', async () => {
  const keys = await openCalloutKeys(folder, false);
  expect(keys).toEqual({
    issuer: expect.stringMatching(/^A[A-Z2-7]{55}$/),
    encryption: expect.stringMatching(/^X[A-Z2-7]{55}$/),
    system: expect.stringMatching(/^U[A-Z2-7]{55}$/),
  });
  expect(await openCalloutKeys(folder, false)).toEqual(keys);
  for (const name of NAMES) expect(statSync(locateCalloutKeyFile(folder, name)).mode & 0o777).toBe(0o600);
});

test('The configuration of NATS names the public keys and every user that bypasses the callout, and no seed', async () => {
  const { keys } = await openKeyFolder(folder, createSubjects());
  const callout = await openCalloutKeys(folder, false);
  const users = readFileSync(locateUsersFile(folder), 'utf8');
  expect(users).toContain(`issuer: ${callout.issuer}`);
  expect(users).toContain(`xkey: ${callout.encryption}`);
  const [, bypassing = ''] = /auth_users = \[([^\]]*)\]/.exec(users) ?? [];
  expect(JSON.parse(`[${bypassing}]`)).toEqual([...Object.values(keys), callout.system]);
  for (const name of NAMES) expect(users).not.toContain(readSeed(name));
});

test('A rotation of auth replaces the keys of the callout, and a rotation of another role does not', async () => {
  await openKeyFolder(folder, createSubjects());
  const before = NAMES.map(readSeed);
  await openKeyFolder(folder, createSubjects(), { rotate: 'tools' });
  expect(NAMES.map(readSeed)).toEqual(before);
  await openKeyFolder(folder, createSubjects(), { rotate: 'auth' });
  for (const [at, name] of NAMES.entries()) expect(readSeed(name)).not.toBe(before[at]);
});

test.each(NAMES)('A damaged file of the %s key, and one with a key of another kind, are rejected', async (name) => {
  await openCalloutKeys(folder, false);
  const other = readSeed(name === 'system' ? 'issuer' : 'system');
  const own = readSeed(name);
  for (const text of ['', 'no seed', other, `${own.slice(0, -1)}1`, `${own.slice(0, -4)}AAAA`]) {
    writeFileSync(locateCalloutKeyFile(folder, name), text);
    const opening = openCalloutKeys(folder, false);
    await expect(opening).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining(locateCalloutKeyFile(folder, name)),
    });
    await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining(other) });
    expect(() => parseCalloutKey(name, text, 'x')).toThrow(expect.objectContaining({ code: 'config-invalid' }));
  }
});
