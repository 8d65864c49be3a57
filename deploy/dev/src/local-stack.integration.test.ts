// The stack's processes, with fakes in the place of the services: who is started with which environment, and how it all ends.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createResources } from '@millrace/service';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mainOf } from './service-table.ts';
import { startLocalStack } from './local-stack.ts';
import { stateDir, type StateDir } from './state-dir.ts';
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
    await mkdir(dirname(mainOf(checkout, name)), { recursive: true });
    await writeFile(mainOf(checkout, name), text);
  }
  return checkout;
}

async function start(
  over: { env?: Record<string, string>; mains?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const services = Object.fromEntries(NAMES.map((name) => [name, FAKE_SERVICE]));
  const checkout = await checkoutWith({ ...services, 'dev-model': FAKE_MODEL, ...over.mains });
  const state = stateDir(await scratchDir());
  const resources = createResources();
  onTestFinished(async () => expect(await resources.release()).toEqual([]));
  const stack = await startLocalStack({
    checkout,
    state,
    env: { PATH: process.env['PATH'], HEALTH_PORT: '8080', PROCESSORS: 'pii', ...elsewhere, ...over.env },
    resources,
    signal: over.signal ?? new AbortController().signal,
    report: () => {},
    restartPolicy: { firstDelayMs: 1, maxDelayMs: 1, maxDeaths: 2, windowMs: 60_000 },
  });
  return { stack, state, resources };
}

const linesOf = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);

const environmentOf = (state: StateDir, name: string): Promise<object> =>
  vi.waitFor(
    async () => {
      const env: unknown = JSON.parse((await linesOf(state.log(name)))[0] ?? '');
      return Object(env);
    },
    { timeout: 10_000 },
  );

test('every service is a process that is told of the servers and the stand-in', { timeout: 30_000 }, async () => {
  const { stack, state } = await start();
  expect(stack.services.map(({ name }) => name)).toEqual([...NAMES, 'dev-model']);
  expect((await fetch(`${stack.standInUrl}/healthz`)).ok).toBe(true);
  const { NATS_URL, REDIS_URL, QDRANT_URL } = elsewhere;
  const model = { OPENAI_API_KEY: 'stand-in', OPENAI_BASE_URL: `${stack.standInUrl}/v1` };
  expect(await environmentOf(state, 'orchestrator')).toMatchObject({ NATS_URL, ...model });
  expect(await environmentOf(state, 'message-history')).toMatchObject({ NATS_URL, REDIS_URL });
  expect(await environmentOf(state, 'working-memory')).toMatchObject({ NATS_URL, REDIS_URL, ...model });
  expect(await environmentOf(state, 'semantic-recall')).toMatchObject({ NATS_URL, QDRANT_URL, ...model });
});

test(
  'no service is given what it does not read: not the key, not another one’s store',
  { timeout: 30_000 },
  async () => {
    const secrets = { OPENAI_API_KEY: 'sk-test', QDRANT_API_KEY: 'q', AWS_SECRET_ACCESS_KEY: 'a', NATS_PASSWORD: 'n' };
    const { state } = await start({ env: { ...secrets, NATS_USER: 'ada', REQUIRE_SHARED_STORE: 'true' } });
    const told = async (name: string) => Object.keys(await environmentOf(state, name)).toSorted();
    const common = ['DRAIN_GRACE_MS', 'NATS_PASSWORD', 'NATS_URL', 'NATS_USER', 'NODE_COMPILE_CACHE', 'PATH'];
    // Node itself tells a child of its channel.
    const ofNode = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'];
    const only = async (name: string) => (await told(name)).filter((one) => ![...common, ...ofNode].includes(one));
    expect(await only('guardrails')).toEqual(['OPENAI_API_KEY', 'REDIS_URL']);
    expect(await only('tools')).toEqual([]);
    expect(await only('message-history')).toEqual(['REDIS_URL', 'REQUIRE_SHARED_STORE']);
    expect(await only('orchestrator')).toEqual(['OPENAI_API_KEY']);
    expect(await only('working-memory')).toEqual(['OPENAI_API_KEY', 'REDIS_URL', 'REQUIRE_SHARED_STORE']);
    expect(await only('semantic-recall')).toEqual([
      'OPENAI_API_KEY',
      'QDRANT_API_KEY',
      'QDRANT_URL',
      'REQUIRE_SHARED_STORE',
    ]);
  },
);

test('the stand-in for the model is given no credentials', { timeout: 30_000 }, async () => {
  const listing = `process.stdout.write(JSON.stringify(process.env) + '\\n');${FAKE_MODEL}`.replace(
    /^(.*?)(import.*?;)/s,
    '$2$1',
  );
  const { state } = await start({ env: { NATS_PASSWORD: 'n', QDRANT_API_KEY: 'q' }, mains: { 'dev-model': listing } });
  const told = Object.keys(await environmentOf(state, 'dev-model'));
  expect(told).toContain('PORT');
  expect(told.filter((name) => /PASSWORD|KEY|NATS/.test(name))).toEqual([]);
});

test(
  'a key or a base address means that a provider answers, and no stand-in is started',
  { timeout: 30_000 },
  async () => {
    const withKey = await start({ env: { OPENAI_API_KEY: 'sk-test' } });
    expect(withKey.stack.standInUrl).toBeUndefined();
    expect(await environmentOf(withKey.state, 'orchestrator')).toMatchObject({ OPENAI_API_KEY: 'sk-test' });

    const withAddress = await start({ env: { OPENAI_BASE_URL: 'http://localhost:1/v1' } });
    expect(withAddress.stack.standInUrl).toBeUndefined();
    const env = await environmentOf(withAddress.state, 'orchestrator');
    expect(env).toMatchObject({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: 'http://localhost:1/v1' });
  },
);

test('the end drains every service', { timeout: 30_000 }, async () => {
  const { state, resources } = await start();
  for (const name of NAMES) await environmentOf(state, name);
  expect(await resources.release()).toEqual([]);
  for (const name of NAMES) expect((await linesOf(state.log(name))).at(-1)).toBe('drained');
});

test(
  'a stand-in that cannot start fails the start with the reason, and nothing is left',
  { timeout: 30_000 },
  async () => {
    const failing = start({ mains: { 'dev-model': 'process.exit(9)' } });
    await expect(failing).rejects.toThrow(/dev-model ended with code 9, 2 times/);
  },
);

test('a start that is given up leaves nothing', { timeout: 30_000 }, async () => {
  const never = 'setInterval(() => {}, 1000)';
  const giveUp = new AbortController();
  const starting = start({ mains: { 'dev-model': never }, signal: giveUp.signal });
  giveUp.abort();
  await expect(starting).rejects.toThrow(/aborted/);
});

test('a service that cannot start is what the stack gave up for', { timeout: 30_000 }, async () => {
  const { stack } = await start({ mains: { tools: 'throw new Error("no tools today")' } });
  expect(await stack.gaveUp).toMatch(/tools ended with code 1, 2 times/);
});
