// An external NATS: the stack prints the line that gives it users, and has the keys of its roles once it has them.
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createResources } from '@millrace/service';
import { startNats } from '@millrace/servers';
import { expect, onTestFinished, test } from 'vitest';
import { startBackingServers } from './backing-servers.ts';
import { listServiceSpecs } from './service-table.ts';
import { locateStateDir } from './state-dir.ts';
import { scratchDir } from './testing/scratch-dir.ts';

const elsewhere = { REDIS_URL: 'redis://elsewhere:6379', QDRANT_URL: 'http://elsewhere:6333' };

/** @param included a file that is copied into the folder of the configuration */
async function startExternal(extraConfig: string, included?: string): Promise<string> {
  const storeDir = await scratchDir();
  if (included !== undefined) await copyFile(included, join(storeDir, basename(included)));
  const server = await startNats({ storeDir, extraConfig });
  onTestFinished(() => server.stop());
  return server.url;
}
async function connectStack(root: string, over: Record<string, string>) {
  const state = locateStateDir(root);
  const resources = createResources();
  onTestFinished(async () => void (await resources.release()));
  const reports: string[] = [];
  const report = (line: string) => reports.push(line);
  const env = { PATH: process.env['PATH'], ...elsewhere, ...over };
  const servers = await startBackingServers({ state, env, resources, report, signal: new AbortController().signal });
  const tools = listServiceSpecs({ checkout: '/', state, env, servers, model: {}, gatewayPort: 1 }).find(
    ({ name }) => name === 'tools',
  );
  return { servers, tools: tools?.env ?? {}, printed: reports.join('\n') };
}

test(
  'An open server: the stack prints the line to include, and uses its keys after that',
  { timeout: 60_000 },
  async () => {
    const root = await scratchDir();
    const open = await startExternal('');
    const { servers, tools, printed } = await connectStack(root, { NATS_URL: open });
    expect(printed).toContain(`NATS at ${open} accepts any connection.`);
    const file = join(locateStateDir(root).keys, 'nats/users.conf');
    expect(printed).toContain(`copy ${file} into the folder`);
    expect(printed).toContain('  include "users.conf"');
    expect(servers.nats).toMatchObject({ url: open, about: 'from NATS_URL', isOurs: false });
    expect(tools).not.toHaveProperty('NATS_NKEY_FILE');

    const including = await startExternal('include "users.conf"', file);
    const known = await connectStack(root, { NATS_URL: including, NATS_TLS: '' });
    expect(known.printed).toBe('');
    expect(known.servers.nats).toMatchObject({
      about: 'from NATS_URL, with the keys of this stack',
      keys: dirname(dirname(file)),
    });
    expect(known.tools).toMatchObject({
      NATS_URL: including,
      NATS_NKEY_FILE: join(locateStateDir(root).keys, 'tools/user.nk'),
    });
  },
);

test('A server with other users: the stack prints the line to include', { timeout: 60_000 }, async () => {
  const foreign = await startExternal('authorization { users = [{user: ada, password: "secret"}] }');
  const refused = await connectStack(await scratchDir(), { NATS_URL: foreign });
  expect(refused.printed).toMatch(/has other users than this stack\.[^]* {2}include "users/);
  expect(refused.servers.nats.keys).toBeUndefined();
});

test.each([
  ['the environment', (url: string) => ({ NATS_URL: url, NATS_USER: 'ada', NATS_PASSWORD: 'secret' })],
  ['the address', (url: string) => ({ NATS_URL: url.replace('nats://', 'nats://ada:secret@') })],
])('Credentials in %s are kept, and are not printed', { timeout: 60_000 }, async (_where, makeEnvironment) => {
  const url = await startExternal('authorization { users = [{user: ada, password: "secret"}] }');
  const env = makeEnvironment(url);
  const { servers, tools, printed } = await connectStack(await scratchDir(), env);
  expect(printed).toMatch(/has the user that the environment names\.[^]*include "users[^]*unset its credentials here/);
  expect(printed).not.toContain('secret');
  expect(servers.nats.keys).toBeUndefined();
  expect(tools).toMatchObject(env);
});
