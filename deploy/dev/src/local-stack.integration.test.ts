// Tests the stack's processes with fake services: their environments, their start and their end.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pickFreePort } from '@millrace/servers';
import { createResources } from '@millrace/service';
import { expect, onTestFinished, test, vi } from 'vitest';
import { resolveMain } from './service-table.ts';
import { startLocalStack } from './local-stack.ts';
import { locateStateDir, type StateDir } from './state-dir.ts';
import { SERVICES } from './service-table.ts';
import { scratchDir } from './testing/scratch-dir.ts';

/** Of the table: a service that is added to it is started like the others. */
const NAMES = SERVICES.map(({ name }) => name);
const elsewhere = {
  NATS_URL: 'nats://elsewhere:4222',
  REDIS_URL: 'redis://elsewhere:6379',
  QDRANT_URL: 'http://elsewhere:6333',
};

/** Writes its environment to its log, and ends when it is asked to. */
const FAKE_SERVICE = `
process.stdout.write(JSON.stringify(process.env) + '\\n');
process.on('SIGTERM', () => { process.stdout.write('drained\\n'); process.exit(0); });
setInterval(() => {}, 1000);
`;
const FAKE_MODEL = `
import { createServer } from 'node:http';
createServer((_, response) => response.end('{}')).listen(Number(process.env.PORT), process.env.HOST);
`;

async function checkoutWith(mains: Record<string, string>): Promise<string> {
  const checkout = await scratchDir();
  for (const [name, text] of Object.entries(mains)) {
    await mkdir(dirname(resolveMain(checkout, name)), { recursive: true });
    await writeFile(resolveMain(checkout, name), text);
  }
  return checkout;
}

async function start(
  over: { env?: Record<string, string>; mains?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const services = Object.fromEntries(NAMES.map((name) => [name, FAKE_SERVICE]));
  const checkout = await checkoutWith({ ...services, 'dev-model': FAKE_MODEL, ...over.mains });
  const state = locateStateDir(await scratchDir());
  const resources = createResources();
  onTestFinished(async () => expect(await resources.release()).toEqual([]));
  const stack = await startLocalStack({
    checkout,
    state,
    env: { PATH: process.env['PATH'], HEALTH_PORT: '8080', PROCESSORS: 'pii', ...elsewhere, ...over.env },
    resources,
    // The fake services are programs.
    hasProcesses: true,
    signal: over.signal ?? new AbortController().signal,
    report: () => {},
    restartPolicy: { firstDelayMs: 1, maxDelayMs: 1, maxDeaths: 2, windowMs: 60_000 },
  });
  return { stack, state, resources };
}

const readLines = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);

const readEnvironment = (state: StateDir, name: string): Promise<object> =>
  vi.waitFor(
    async () => {
      const env: unknown = JSON.parse((await readLines(state.log(name)))[0] ?? '');
      return Object(env);
    },
    { timeout: 10_000 },
  );

test('Every service is a process with the addresses of the servers and dev-model', { timeout: 30_000 }, async () => {
  const { stack, state } = await start();
  expect(stack.services.map(({ name }) => name)).toEqual([...NAMES, 'dev-model']);
  expect((await fetch(`${stack.standInUrl}/healthz`)).ok).toBe(true);
  const { NATS_URL, REDIS_URL, QDRANT_URL } = elsewhere;
  const model = { OPENAI_API_KEY: 'stand-in', OPENAI_BASE_URL: `${stack.standInUrl}/v1` };
  expect(await readEnvironment(state, 'orchestrator')).toMatchObject({ NATS_URL, ...model });
  expect(await readEnvironment(state, 'message-history')).toMatchObject({ NATS_URL, REDIS_URL });
  expect(await readEnvironment(state, 'working-memory')).toMatchObject({ NATS_URL, REDIS_URL, ...model });
  expect(await readEnvironment(state, 'semantic-recall')).toMatchObject({ NATS_URL, QDRANT_URL, ...model });
});

test(
  'A service receives only variables that it reads: neither the key nor another service’s store',
  { timeout: 30_000 },
  async () => {
    const secrets = { OPENAI_API_KEY: 'sk-test', QDRANT_API_KEY: 'q', AWS_SECRET_ACCESS_KEY: 'a', NATS_PASSWORD: 'n' };
    const { state } = await start({ env: { ...secrets, NATS_USER: 'ada', REQUIRE_SHARED_STORE: 'true' } });
    const listVariables = async (name: string) => Object.keys(await readEnvironment(state, name)).toSorted();
    const common = ['DRAIN_GRACE_MS', 'NATS_PASSWORD', 'NATS_URL', 'NATS_USER', 'NODE_COMPILE_CACHE', 'PATH'];
    // Node passes the channel to a child in its own variable.
    const ofNode = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'];
    const listOwnVariables = async (name: string) =>
      (await listVariables(name)).filter((one) => ![...common, ...ofNode].includes(one));
    expect(await listOwnVariables('guardrails')).toEqual(['OPENAI_API_KEY', 'REDIS_URL']);
    expect(await listOwnVariables('tools')).toEqual([]);
    expect(await listOwnVariables('message-history')).toEqual(['OPENAI_API_KEY', 'REDIS_URL', 'REQUIRE_SHARED_STORE']);
    expect(await listOwnVariables('orchestrator')).toEqual(['OPENAI_API_KEY']);
    expect(await listOwnVariables('working-memory')).toEqual(['OPENAI_API_KEY', 'REDIS_URL', 'REQUIRE_SHARED_STORE']);
    expect(await listOwnVariables('semantic-recall')).toEqual([
      'OPENAI_API_KEY',
      'QDRANT_API_KEY',
      'QDRANT_URL',
      'REQUIRE_SHARED_STORE',
    ]);
  },
);

test('dev-model receives no credentials', { timeout: 30_000 }, async () => {
  const listing = `process.stdout.write(JSON.stringify(process.env) + '\\n');${FAKE_MODEL}`.replace(
    /^(.*?)(import.*?;)/s,
    '$2$1',
  );
  const { state } = await start({ env: { NATS_PASSWORD: 'n', QDRANT_API_KEY: 'q' }, mains: { 'dev-model': listing } });
  const told = Object.keys(await readEnvironment(state, 'dev-model'));
  expect(told).toContain('PORT');
  expect(told.filter((name) => /PASSWORD|KEY|NATS/.test(name))).toEqual([]);
});

test('With a key or a base address no dev-model is started', { timeout: 30_000 }, async () => {
  const withKey = await start({ env: { OPENAI_API_KEY: 'sk-test' } });
  expect(withKey.stack.standInUrl).toBeUndefined();
  expect(await readEnvironment(withKey.state, 'orchestrator')).toMatchObject({ OPENAI_API_KEY: 'sk-test' });

  const withAddress = await start({ env: { OPENAI_BASE_URL: 'http://localhost:1/v1' } });
  expect(withAddress.stack.standInUrl).toBeUndefined();
  const env = await readEnvironment(withAddress.state, 'orchestrator');
  expect(env).toMatchObject({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: 'http://localhost:1/v1' });
});

test('A stack with its own gateway as the model provider starts no process', { timeout: 30_000 }, async () => {
  const port = await pickFreePort();
  const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, GATEWAY_PORT: String(port) };
  await expect(start({ env })).rejects.toMatchObject({ code: 'config-invalid' });
});

test('A stop drains every service', { timeout: 30_000 }, async () => {
  const { state, resources } = await start();
  for (const name of NAMES) await readEnvironment(state, name);
  expect(await resources.release()).toEqual([]);
  for (const name of NAMES) expect((await readLines(state.log(name))).at(-1)).toBe('drained');
});

test(
  'A dev-model that cannot start fails the start with the reason and leaves nothing behind',
  { timeout: 30_000 },
  async () => {
    const failing = start({ mains: { 'dev-model': 'process.exit(9)' } });
    await expect(failing).rejects.toThrow(/dev-model ended with code 9, 2 times/);
  },
);

test('A cancelled start leaves nothing behind', { timeout: 30_000 }, async () => {
  const never = 'setInterval(() => {}, 1000)';
  const giveUp = new AbortController();
  const starting = start({ mains: { 'dev-model': never }, signal: giveUp.signal });
  giveUp.abort();
  await expect(starting).rejects.toThrow(/aborted/);
});

test('The stack gives up with the service that cannot start', { timeout: 30_000 }, async () => {
  const { stack } = await start({ mains: { tools: 'throw new Error("no tools today")' } });
  expect(await stack.gaveUp).toMatch(/tools ended with code 1, 2 times/);
});
