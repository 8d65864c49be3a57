import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'millrace-keys-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const keys = (...args: string[]) => millrace(['keys', '--folder', folder, ...args]);
const readSeed = (role: string) => readFileSync(join(folder, role, 'user.nk'), 'utf8').trim();

test('keys creates a key for each role and prints the file that NATS includes, but no seed', async () => {
  const { code, stdout, stderr } = await keys();
  expect(code).toBe(0);
  expect(stdout).toContain(`guardrails: new key in ${join(folder, 'guardrails/user.nk')}`);
  expect(stdout).toContain(`NATS includes ${join(folder, 'nats/users.conf')}: restart NATS`);
  expect(stdout).toContain(`Redis loads ${join(folder, 'redis/users.acl')}: restart Redis`);
  expect(stdout).toContain(`Qdrant reads ${join(folder, 'qdrant/config.yaml')}: restart Qdrant`);
  expect(stdout + stderr).not.toContain(readFileSync(join(folder, 'semantic-recall/qdrant.key'), 'utf8').trim());
  expect(stdout + stderr).not.toContain(readSeed('guardrails'));
  expect(stdout + stderr).not.toContain(readFileSync(join(folder, 'guardrails/redis.password'), 'utf8').trim());
});

test('keys changes nothing if every role has its key', async () => {
  await keys();
  const before = readSeed('operator');
  expect((await keys()).stdout).toContain('is up to date');
  expect(readSeed('operator')).toBe(before);
});

test('keys --rotate replaces one key and prints the processes to restart', async () => {
  await keys();
  const before = [readSeed('guardrails'), readSeed('tools')];
  const { stdout } = await keys('--rotate', 'guardrails');
  expect(stdout).toContain('restart NATS');
  expect(stdout).toContain('restart guardrails');
  expect(readSeed('guardrails')).not.toBe(before[0]);
  expect(readSeed('tools')).toBe(before[1]);
});

test('keys --rotate rejects an unknown role and names the known ones', async () => {
  const { code, stderr } = await keys('--rotate', 'pii');
  expect(code).not.toBe(0);
  expect(stderr).toContain('guardrails');
});

test('keys refuses a file in place of its folder with config-invalid, and prints no stack', async () => {
  const file = join(folder, 'note.txt');
  writeFileSync(file, 'no folder');
  const { code, stderr } = await millrace(['keys', '--folder', file]);
  expect([code, stderr]).toEqual([5, expect.stringContaining('(config-invalid)')]);
  expect(stderr).toContain(file);
  expect(stderr).not.toMatch(/^ +at /m);
});

test.each([['keys'], ['runs', 'list'], ['run', 'demo', 'hi'], ['check', 'pii'], ['tap']])(
  'millrace %s refuses a MILLRACE_PREFIX that is no subject, and names its form',
  async (...args) => {
    const own = args[0] === 'keys' ? ['--folder', folder] : ['--url', 'nats://127.0.0.1:1'];
    const { code, stderr } = await millrace([...args, ...own], { env: { MILLRACE_PREFIX: 'a b' } });
    expect([code, stderr]).toEqual([5, expect.stringContaining('(config-invalid)')]);
    expect(stderr).toMatch(/MILLRACE_PREFIX must be letters.*such as mr\.v1/);
    expect(existsSync(join(folder, 'nats'))).toBe(false);
  },
);
