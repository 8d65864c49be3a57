import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSubjects } from '@millrace/contracts';
import { useNats } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openKeyFolder } from './key-folder.ts';
import { probeUsers } from './probe-users.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-probe-'));
beforeAll(() => openKeyFolder(folder, createSubjects()));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a server with the users of a folder', () => {
  const nats = useNats();
  test('is known with that folder, and refuses the keys of another one', async () => {
    expect(await probeUsers(nats.url, nats.keys ?? '')).toBe('known');
    expect(await probeUsers(nats.url, folder)).toBe('refused');
  });
});

describe('a server without users', () => {
  const nats = useNats({ extraConfig: 'accounts {}' });
  test('accepts any connection', async () => {
    expect(await probeUsers(nats.url, folder)).toBe('none');
  });
});

describe('a server with a user of connections without credentials', () => {
  const nats = useNats({
    extraConfig: 'no_auth_user: any\nauthorization { users = [{user: any, password: "secret"}] }',
  });
  test('accepts any connection', async () => {
    expect(await probeUsers(nats.url, folder)).toBe('none');
  });
});

test('a server that does not answer is unreachable, within the bound', async () => {
  const started = performance.now();
  expect(await probeUsers('nats://127.0.0.1:1', folder)).toBe('unreachable');
  expect(performance.now() - started).toBeLessThan(10_000);
});
