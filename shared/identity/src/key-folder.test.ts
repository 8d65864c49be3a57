import { locateSeedFile } from '@millrace/bus';
import { createSubjects } from '@millrace/contracts';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseApiKey } from './api-key.ts';
import {
  locateFirstKeyFile,
  openKeyFolder,
  locateQdrantConfigFile,
  locateQdrantKeyFile,
  locateRedisPasswordFile,
  locateRedisUsersFile,
  locateUsersFile,
} from './key-folder.ts';
import { REDIS_USERS } from './redis-users.ts';
import { ROLES } from './permissions.ts';

const subjects = createSubjects();
let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'millrace-keys-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const names = ROLES.map(({ name }) => name);

test('The first call creates a seed for each role, readable by its owner alone, and the users of NATS', async () => {
  const { created, keys, changed } = await openKeyFolder(folder, subjects);
  expect(created).toEqual(names);
  expect(changed).toBe(true);
  expect(readdirSync(folder).toSorted()).toEqual([...names, 'nats', 'qdrant', 'redis'].toSorted());
  for (const name of names) {
    expect([name, readMode(join(folder, name)), readMode(locateSeedFile(folder, name))]).toEqual([name, '700', '600']);
    expect(readFileSync(locateSeedFile(folder, name), 'utf8')).toMatch(/^SU[A-Z2-7]{56}\n$/);
  }
  const users = readFileSync(locateUsersFile(folder), 'utf8');
  for (const key of Object.values(keys)) expect(users).toContain(key);
  expect(users).not.toMatch(/\bSU[A-Z2-7]{56}/);
});

test('A user of Redis has a password that its owner alone can read, and the ACL file has its hash', async () => {
  const { redis } = await openKeyFolder(folder, subjects);
  expect(redis).toEqual({ usersFile: locateRedisUsersFile(folder), changed: true });
  const users = readFileSync(redis.usersFile, 'utf8');
  expect(users).toMatch(/^user default off [^]*^user health on nopass .* -@all \+ping \+info$/m);
  for (const { name } of REDIS_USERS) {
    const file = locateRedisPasswordFile(folder, name);
    const password = readFileSync(file, 'utf8').trim();
    expect([name, readMode(file), password.length]).toEqual([name, '600', 43]);
    expect(users).toMatch(new RegExp(`^user ${name} on #[0-9a-f]{64} resetkeys `, 'm'));
    expect(users).not.toContain(password);
  }
});

test('A rotation replaces the password of one user of Redis, and a damaged password is not replaced', async () => {
  const read = () => REDIS_USERS.map(({ name }) => readFileSync(locateRedisPasswordFile(folder, name), 'utf8'));
  await openKeyFolder(folder, subjects);
  const before = read();
  expect(await openKeyFolder(folder, subjects)).toMatchObject({ redis: { changed: false } });
  expect(await openKeyFolder(folder, subjects, { rotate: 'message-history' })).toMatchObject({
    redis: { changed: true },
  });
  expect(read().map((password, at) => password === before[at])).toEqual(
    REDIS_USERS.map(({ name }) => name !== 'message-history'),
  );
  const file = locateRedisPasswordFile(folder, 'guardrails');
  writeFileSync(file, '');
  await expect(openKeyFolder(folder, subjects)).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(file),
  });
});

test('The API key of Qdrant and the configuration with it are readable by their owner alone, and a rotation replaces both', async () => {
  const { qdrant } = await openKeyFolder(folder, subjects);
  expect(qdrant).toEqual({ configFile: locateQdrantConfigFile(folder), changed: true });
  const read = () => readFileSync(locateQdrantKeyFile(folder), 'utf8').trim();
  const readConfig = (): unknown => JSON.parse(readFileSync(qdrant.configFile, 'utf8'));
  const first = read();
  expect([first.length, readConfig()]).toEqual([43, { service: { api_key: first } }]);
  for (const file of [qdrant.configFile, locateQdrantKeyFile(folder)]) expect(readMode(file)).toBe('600');
  expect(await openKeyFolder(folder, subjects, { rotate: 'tools' })).toMatchObject({ qdrant: { changed: false } });
  expect(await openKeyFolder(folder, subjects, { rotate: 'semantic-recall' })).toMatchObject({
    qdrant: { changed: true },
  });
  expect(read()).not.toBe(first);
  expect(readConfig()).toEqual({ service: { api_key: read() } });
});

test('A later call changes nothing, and narrows the mode of a seed that others can read', async () => {
  const { keys } = await openKeyFolder(folder, subjects);
  chmodSync(locateSeedFile(folder, 'operator'), 0o644);
  expect(await openKeyFolder(folder, subjects)).toMatchObject({ created: [], keys, changed: false });
  expect(readMode(locateSeedFile(folder, 'operator'))).toBe('600');
});

test('The first API key is created once, readable by its owner alone', async () => {
  await openKeyFolder(folder, subjects);
  const file = locateFirstKeyFile(folder);
  const text = readFileSync(file, 'utf8');
  expect(parseApiKey(text.trim())).toBeDefined();
  chmodSync(file, 0o644);
  await openKeyFolder(folder, subjects, { rotate: 'auth' });
  expect([readFileSync(file, 'utf8'), readMode(file)]).toEqual([text, '600']);
});

test('A rotation replaces the seed of one role', async () => {
  const { keys } = await openKeyFolder(folder, subjects);
  const rotated = await openKeyFolder(folder, subjects, { rotate: 'guardrails' });
  expect(rotated).toMatchObject({ created: ['guardrails'], changed: true });
  expect(rotated.keys).toEqual({ ...keys, guardrails: rotated.keys['guardrails'] });
  expect(rotated.keys['guardrails']).not.toBe(keys['guardrails']);
  expect(readFileSync(locateUsersFile(folder), 'utf8')).not.toContain(keys['guardrails']);
});

test('An unknown role is rejected with the known ones, before anything is written', async () => {
  await expect(openKeyFolder(folder, subjects, { rotate: 'pii' })).rejects.toMatchObject({
    code: 'config-invalid',
    remedy: expect.stringContaining('guardrails'),
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('A damaged seed is rejected by its file, and is not replaced', async () => {
  await openKeyFolder(folder, subjects);
  writeFileSync(locateSeedFile(folder, 'tools'), 'no seed');
  await expect(openKeyFolder(folder, subjects)).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(locateSeedFile(folder, 'tools')),
  });
});
