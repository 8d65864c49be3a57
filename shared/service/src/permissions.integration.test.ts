import { createUserKey, listen, publish } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startService, type RunningService, type ServiceContext } from './run-service.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-service-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const user = createUserKey();
const nkeyFile = join(dir, 'sample.nk');
writeFileSync(nkeyFile, user.seed, { mode: 0o600 });

let allowed: string[] = [];
const nats = useNats({
  extraConfig: () => {
    const subjects = JSON.stringify([`_INBOX.${user.publicKey}.>`, ...allowed]);
    const permissions = `{ publish: ${subjects}, subscribe: ${subjects} }`;
    return `authorization { users: [
      { nkey: ${user.publicKey}, permissions: ${permissions} }, { user: all, password: all }
    ] }`;
  },
});
useBus(nats, 'all', { user: 'all', pass: 'all' });

const start = (work: (context: ServiceContext<object>) => void, more: Record<string, string> = {}) =>
  startService(
    { name: 'sample', version: '0.0.1', config: z.object({}), start: (context) => Promise.resolve(work(context)) },
    { NATS_URL: nats.url, NATS_NKEY_FILE: nkeyFile, LOG_LEVEL: 'silent', HEALTH_PORT: '0', ...more },
  );
async function readHealth({ healthPort }: RunningService): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${healthPort}/healthz`);
  const { problem = 'none' } = z.object({ problem: z.string().optional() }).parse(await answer.json());
  return `${answer.status} ${problem}`;
}
async function restart(subjects: string[]): Promise<void> {
  await nats.kill();
  allowed = subjects;
  await nats.start();
}

test('A service without a permission to subscribe is unhealthy and names it, until a connection has the permission', async () => {
  const seen: unknown[] = [];
  const service = await start(({ bus }) => void listen(bus, 'work.of.sample', z.unknown(), (one) => seen.push(one)));
  await eventually(async () => (await readHealth(service)).startsWith('503'));
  expect(await readHealth(service)).toBe('503 NATS refuses a permission: subscribe to work.of.sample');
  await restart(['work.of.sample']);
  await eventually(async () => (await readHealth(service)) === '200 none');
  await service.bus.nc.flush();
  publish(service.bus, 'work.of.sample', {});
  await eventually(() => seen.length === 1);
  await service.stop();
});

test('A service without a permission to publish is unhealthy and names it', async () => {
  const service = await start(({ bus }) => publish(bus, 'results.of.sample', {}));
  await eventually(async () => (await readHealth(service)).startsWith('503'));
  expect(await readHealth(service)).toBe('503 NATS refuses a permission: publish on results.of.sample');
  await service.stop();
});

test('A service with refused credentials does not start, and the error has a remedy', async () => {
  await expect(start(() => undefined, { NATS_NKEY_FILE: '', NATS_NKEY: createUserKey().seed })).rejects.toMatchObject({
    code: 'credentials-refused',
    remedy: expect.stringContaining('users in the configuration of NATS'),
  });
});

test.each([
  ['a seed file that does not exist', { NATS_NKEY_FILE: 'none.nk' }, 'NATS_NKEY_FILE'],
  ['a prefix that is not of inboxes', { NATS_INBOX_PREFIX: 'mr.v1' }, 'NATS_INBOX_PREFIX'],
  ['a key and a user', { NATS_USER: 'ada' }, 'NATS_USER'],
])('A service with a wrong setting does not start and names the variable: %s', async (_what, env, path) => {
  await expect(start(() => undefined, env)).rejects.toMatchObject({ code: 'config-invalid', path });
});
