// Erases a person over real services, with runs and saves under way, a store that is away, and an orchestrator that is
// killed in between.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildTextMessage, type ShownErasure } from '@millrace/contracts';
import { eventually, freezeProcess, useBus, useNats, useOwnRedis, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect } from './collect.ts';
import { millrace } from './run-command.ts';
import { script } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-erase-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nats = useNats();
const redis = useOwnRedis();
const reader = useBus(nats, 'reader');
const services = ['orchestrator', 'guardrails', 'message-history', 'working-memory', 'semantic-recall'];
const stack = useStack(
  nats,
  services,
  () => ({
    REDIS_URL: redis.url,
    EMBEDDING_MODEL: 'openai/hashed-ngram',
    SQLITE_PATH: join(folder, 'vectors.db'),
  }),
  { processes: ['orchestrator', 'semantic-recall'] },
);
const cli = (...args: string[]) => millrace(args, { env: { NATS_URL: nats.url }, cwd: folder });
const PERSON_MS = 60_000;

beforeAll(async () => {
  const memory = { lastMessages: 10, semanticRecall: true, workingMemory: { template: 'Name: {{name}}' } };
  const input = ['unicode-normalizer', { use: 'response-cache', options: { ttlSeconds: 3_600 } }];
  const agent = { name: 'remembering', model: 'openai/gpt-5-mini', input, memory, record: 'changes' };
  await stack.client.agents.apply(agent);
});

const say = (text: string, resourceId: string, threadId = `${resourceId}-1`) =>
  stack.client.start('remembering', text, { threadId, resourceId });
const countThreads = async (resourceId: string) => (await stack.client.threads.list({ resourceId })).total;
const readMemory = async (resourceId: string) => (await stack.client.memory.get({ resourceId })).memory;
const listRunIds = async () => (await stack.client.runs.list({ limit: 1_000 })).runs.map(({ runId }) => runId);

async function waitUntilDone(resourceId: string, eraseId: string): Promise<ShownErasure> {
  return eventually(
    async () => {
      const erasure = await stack.client.erase(resourceId, { eraseId });
      return erasure.status === 'done' ? erasure : undefined;
    },
    { timeoutMs: PERSON_MS },
  );
}

type Listed = { streams: { config: { name: string }; state: { first_seq: number; last_seq: number } }[] };
type Got = { message?: { subject: string; data?: string } };
async function askJetStream<T>(subject: string, request: object): Promise<T> {
  const answer = await reader.bus.nc.request(`$JS.API.STREAM.${subject}`, JSON.stringify(request));
  return answer.json<T>();
}

/** Returns the subjects of all messages of NATS that hold the text. */
async function findInStreams(text: string): Promise<string[]> {
  const { streams } = await askJetStream<Listed>('LIST', {});
  const found: string[] = [];
  for (const { config, state } of streams) {
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const { message } = await askJetStream<Got>(`MSG.GET.${config.name}`, { seq });
      if (message && Buffer.from(message.data ?? '', 'base64').includes(text)) found.push(message.subject);
    }
  }
  return found;
}

describe('erasing a resource', () => {
  test(
    'deletes runs, threads, vectors, memory, caches and events, and nothing of others',
    { timeout: PERSON_MS },
    async () => {
      const secret = 'heliotrope';
      // The normalizer changes the first letter: the change is recorded.
      const run = await say('\u200BMy name is Ada.', 'ada', secret);
      await run.result();
      expect((await stack.client.runs.changes(run.runId)).changes).toMatchObject([{ entry: 'unicode-normalizer' }]);
      await (await say('My name is Bob.', 'bob')).result();
      expect(await findInStreams(secret)).not.toEqual([]);
      expect((await cli('erase', 'ada')).stderr).toContain('repeat the command with --yes');

      const { code, stdout } = await cli('erase', 'ada', '--yes', '--json');
      expect(code).toBe(0);
      const { status, stores }: ShownErasure = JSON.parse(stdout);
      const deleted = Object.fromEntries(stores.map((one) => [one.store, one.deleted]));
      expect(status).toBe('done');
      expect(stores.every(({ left, error }) => left === 0 && error === undefined)).toBe(true);
      expect(deleted).toMatchObject({ runs: 1, 'message-history': 2, 'semantic-recall': 2, guardrails: 1, saves: 0 });
      expect(deleted['events']).toBeGreaterThan(0);
      expect(deleted['changes']).toBe(1);
      expect(deleted['working-memory']).toBe(1);

      expect(await findInStreams(secret)).toEqual([]);
      expect([await countThreads('ada'), await readMemory('ada')]).toEqual([0, null]);
      await expect(stack.client.runs.get(run.runId)).rejects.toMatchObject({ code: 'run-unknown' });
      expect(await listRunIds()).not.toContain(run.runId);
      expect([await countThreads('bob'), await readMemory('bob')]).toEqual([1, { name: 'Bob' }]);

      // The resource begins again.
      await (await say('My name is Ada.', 'ada')).result();
      expect(await countThreads('ada')).toBe(1);
    },
  );

  test('cancels a run that is active, and the run stores nothing', { timeout: PERSON_MS }, async () => {
    const run = await say(script({ text: 'a slow answer', chunkSize: 1, delayMs: 2_000 }), 'carol');
    const chunks = collect(run);
    const waiting = await say(script({ text: 'another' }), 'carol', 'carol-2');
    await waiting.result();
    await eventually(async () => (await stack.client.runs.get(run.runId)).status === 'running');
    const { stores } = await waitUntilDone('carol', 'erase-carol');
    expect(stores.find(({ store }) => store === 'runs')).toMatchObject({ deleted: 2, left: 0 });
    expect((await chunks).at(-1)).toMatchObject({ type: 'abort' });
    expect(await countThreads('carol')).toBe(0);
  });

  test(
    'continues after its store was away and its orchestrator was killed, without the save that was under way',
    { timeout: 2 * PERSON_MS },
    async () => {
      await (await say('My name is Dora.', 'dora')).result();
      const run = await say(script({ text: 'under way', delayMs: 1_000 }), 'dora', 'dora-2');
      await freezeProcess(redis.pid);
      try {
        // The save of the run hangs or is deferred from here on.
        await eventually(async () => (await stack.client.runs.get(run.runId)).status === 'running');
        await delay(1_500);
        const first = await stack.client.erase('dora', { eraseId: 'erase-dora' });
        expect(first.status).not.toBe('done');
        await eventually(
          async () => {
            const { stores } = await stack.client.erase('dora', { eraseId: 'erase-dora' });
            return stores.some(({ store, error }) => store === 'message-history' && error !== undefined);
          },
          { timeoutMs: PERSON_MS },
        );
        await stack.signal('orchestrator', 'SIGKILL');
      } finally {
        process.kill(redis.pid, 'SIGCONT');
      }
      await stack.start('orchestrator');
      const { stores } = await waitUntilDone('dora', 'erase-dora');
      expect(stores.every(({ left, error }) => left === 0 && error === undefined)).toBe(true);
      expect([await countThreads('dora'), await readMemory('dora')]).toEqual([0, null]);
      expect((await stack.client.saves.list()).total).toBe(0);
      // A repeated request with the same id returns the proof.
      expect(await stack.client.erase('dora', { eraseId: 'erase-dora' })).toMatchObject({ status: 'done', stores });
    },
  );

  test('is put off while a service is not running', { timeout: PERSON_MS }, async () => {
    await stack.client.messages.save('erin-1', [buildTextMessage('m1', 'user', 'hello')], { resourceId: 'erin' });
    await stack.signal('semantic-recall', 'SIGKILL');
    const { code, stdout, stderr } = await cli('erase', 'erin', '--yes', '--wait', '2s');
    expect(code).toBe(7);
    expect(stdout).toContain('The service semantic-recall is not running');
    expect(stderr).toContain('the erasure continues');
    // Another request continues the erasure. It is sent before the service starts: after the end it would begin a new one.
    const continued = await stack.client.erase('erin', { eraseId: 'another-request' });
    expect(continued.stores.find(({ store }) => store === 'message-history')).toMatchObject({ deleted: 1, left: 0 });
    await stack.start('semantic-recall');
    const { stores } = await waitUntilDone('erin', 'another-request');
    expect(stores.every(({ left, error }) => left === 0 && error === undefined)).toBe(true);
    expect(await countThreads('erin')).toBe(0);
  });
});
