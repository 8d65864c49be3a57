// Runs the service over NATS with its store and an embedder over HTTP, and sends the requests of the orchestrator.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askApi, gatherInfo } from '@millrace/bus';
import {
  OPERATOR_CALLER,
  hashCaller,
  buildTextMessage,
  type ApiAnswer,
  type ApiRequestInput,
  type ConversationEntry,
  type Stage,
} from '@millrace/contracts';
import { startTestProvider, type TestProvider } from '@millrace/models/testing';
import { startService } from '@millrace/service';
import {
  aRun,
  askStage,
  callEntry,
  findQdrant,
  stageCall,
  useBus,
  useNats,
  useQdrant,
  useService,
} from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { semanticRecallService } from './service.ts';

const nats = useNats();
let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
});
afterAll(() => provider.close());
const folder = mkdtempSync(join(tmpdir(), 'millrace-recall-'));
afterAll(() => rmSync(folder, { recursive: true }));
const qdrant = findQdrant();

describe('semantic-recall on SQLite', () => {
  describeService('sqlite', { SQLITE_PATH: join(folder, 'recall.db'), EMBEDDING_MODEL: 'openai/test' });
});

describe.runIf(qdrant)('semantic-recall on Qdrant', () => {
  describeService('qdrant', useQdrant(qdrant ?? { QDRANT_URL: '' }, 'openai/test').env);
});

function describeService(name: string, env: Record<string, string | undefined>): void {
  const prefix = `test.${name}`;
  const tests = useBus(nats, 'tests', { prefix });
  const common = () => ({ NATS_URL: nats.url, MILLRACE_PREFIX: prefix, OPENAI_BASE_URL: provider.baseUrl });
  useService(semanticRecallService, () => ({ ...common(), ...env }));

  async function callStage(stage: Stage, runId: string, entries: ConversationEntry[]) {
    const conversation = { entries, system: [] };
    const recall = callEntry('semantic-recall', {}, { entry: 'recall' });
    const call = stageCall(stage, [recall], { answered: true, conversation }, aRun({ runId }));
    return askStage(tests.bus, 'semantic-recall', call);
  }
  const user = (text: string): ConversationEntry => ({ source: 'input', message: buildTextMessage('u', 'user', text) });
  const assistant = (text: string): ConversationEntry => {
    return { source: 'response', message: buildTextMessage('a', 'assistant', text) };
  };

  test('semantic-recall shows in the next run the messages on the same topic from the previous run', async () => {
    expect(await callStage('processInput', 'run-1', [user('My cat is called Tom.')])).toMatchObject([
      { type: 'continue', state: { query: {} } },
    ]);
    const said = [user('My cat is called Tom.'), assistant('A fine name.')];
    expect(await callStage('processOutputResult', 'run-1', said)).toMatchObject([
      { type: 'continue', usage: { modelCalls: 2 } },
    ]);

    const [verdict] = await callStage('processInput', 'run-2', [user('What is my cat called?')]);
    const contents = [expect.stringMatching(/User \(.*\): My cat is called Tom\.\n.*A fine name\./)];
    expect(verdict).toMatchObject({
      type: 'continue',
      changes: { ops: [{ op: 'system', tag: 'semantic-recall:recall', contents }] },
    });
  });

  describe('threads-search', () => {
    const ask = (caller: string, request: ApiRequestInput<'threads-search'>, tenant = 'acme') =>
      askApi(tests.bus, 'threads-search', { tenant, caller }, request);
    const listTexts = ({ hits }: ApiAnswer<'threads-search'>) => hits.map(({ text }) => text);
    beforeAll(async () => {
      const runs = [
        ['ada', 'boats', 'The ferry to Bergen leaves at noon.'],
        ['ada', 'meals', 'Lentil soup needs cumin.'],
        ['bob', 'secret', 'The ferry of Bob leaves at midnight.'],
        [undefined, 'loose', 'A thread without an owner has a ferry.'],
      ] as const;
      for (const [at, [resourceId, threadId, text]] of runs.entries()) {
        const run = aRun({ tenant: 'acme', runId: `search-${at}`, threadId, resourceId });
        const conversation = { entries: [user(text), assistant('Noted.')], system: [] };
        const recall = callEntry('semantic-recall', {}, { entry: 'recall' });
        const call = stageCall('processOutputResult', [recall], { answered: true, conversation }, run);
        await askStage(tests.bus, 'semantic-recall', call);
      }
    });

    test('An operator finds the nearest message of a resource first, with its thread and score', async () => {
      const { hits } = await ask(OPERATOR_CALLER, { resourceId: 'ada', query: 'When does the ferry leave?', limit: 3 });
      expect(hits[0]).toMatchObject({
        threadId: 'boats',
        role: 'user',
        text: 'The ferry to Bergen leaves at noon.',
        score: expect.any(Number),
      });
      expect(hits.map(({ threadId }) => threadId)).not.toContain('secret');
    });

    test('A thread restricts the search, and a thread without a resource is its own owner', async () => {
      const query = 'When does the ferry leave?';
      const meals = await ask(OPERATOR_CALLER, { resourceId: 'ada', threadId: 'meals', query });
      expect(new Set(meals.hits.map(({ threadId }) => threadId))).toEqual(new Set(['meals']));
      const loose = await ask(OPERATOR_CALLER, { threadId: 'loose', query });
      expect(listTexts(loose)).toContain('A thread without an owner has a ferry.');
      expect((await ask(OPERATOR_CALLER, { threadId: 'boats', query })).hits).toEqual([]);
    });

    test('A caller searches its own messages only, and another tenant has none', async () => {
      const query = 'When does the ferry leave?';
      const bob = await hashCaller('acme', 'bob');
      expect(listTexts(await ask(bob, { resourceId: 'bob', query }))).toContain('The ferry of Bob leaves at midnight.');
      for (const request of [{ resourceId: 'ada' }, { threadId: 'secret' }, { threadId: 'loose' }, {}])
        await expect(ask(bob, { ...request, query })).rejects.toMatchObject({ path: 'resourceId' });
      expect((await ask(OPERATOR_CALLER, { resourceId: 'ada', query }, 'rival')).hits).toEqual([]);
    });

    test('The limit and the threshold bound the answer', async () => {
      const query = 'The ferry to Bergen leaves at noon.';
      expect((await ask(OPERATOR_CALLER, { resourceId: 'ada', query, limit: 1 })).hits).toHaveLength(1);
      const exact = await ask(OPERATOR_CALLER, { resourceId: 'ada', query, threshold: 0.999 });
      expect(listTexts(exact)).toEqual([query]);
      await expect(ask(OPERATOR_CALLER, { resourceId: 'ada', query: ' ' })).rejects.toMatchObject({ path: 'query' });
    });
  });

  test('discovery lists semantic-recall with its stages', async () => {
    const infos = await gatherInfo(tests.bus, { service: 'semantic-recall', gatherMs: 300 });
    const subjects = infos.flatMap((info) => info.endpoints.map((endpoint) => endpoint.subject));
    expect(subjects.filter((subject) => subject.startsWith(prefix))).toEqual(
      expect.arrayContaining([
        `${prefix}.stage.processInput.semantic-recall.semantic-recall`,
        `${prefix}.stage.processOutputResult.semantic-recall.semantic-recall`,
      ]),
    );
  });
}

describe('semantic-recall with EMBEDDING_BASE_URL', () => {
  const prefix = 'test.own-embedder';
  const tests = useBus(nats, 'tests', { prefix });
  const caller = { tenant: 'acme', caller: OPERATOR_CALLER };
  const search = (query: string) => askApi(tests.bus, 'threads-search', caller, { threadId: 't', query });

  test('the server at EMBEDDING_BASE_URL embeds, and vectors of the provider under the same model and host are not mixed with its own', async () => {
    const own = await startTestProvider();
    const start = (env: Record<string, string>) =>
      startService(semanticRecallService, {
        NATS_URL: nats.url,
        MILLRACE_PREFIX: prefix,
        LOG_LEVEL: 'silent',
        SQLITE_PATH: join(folder, 'own.db'),
        OPENAI_BASE_URL: provider.baseUrl,
        EMBEDDING_MODEL: 'openai/test',
        ...env,
      });
    const index = (text: string) => {
      const entries: ConversationEntry[] = [{ source: 'input', message: buildTextMessage('u', 'user', text) }];
      const recall = callEntry('semantic-recall', {}, { entry: 'recall' });
      const run = aRun({ tenant: 'acme', threadId: 't', resourceId: undefined, runId: crypto.randomUUID() });
      const options = { answered: true, conversation: { entries, system: [] } };
      return askStage(tests.bus, 'semantic-recall', stageCall('processOutputResult', [recall], options, run));
    };
    try {
      const first = await start({});
      await index('A ferry of the provider.');
      expect((await search('ferry')).hits).toMatchObject([{ text: 'A ferry of the provider.' }]);
      await first.stop();
      const before = provider.requests.length;

      const second = await start({ EMBEDDING_BASE_URL: own.baseUrl });
      expect((await search('ferry')).hits).toEqual([]);
      await index('A ferry of the local server.');
      expect((await search('ferry')).hits).toMatchObject([{ text: 'A ferry of the local server.' }]);
      await second.stop();
      expect(own.listEmbedded()).toEqual(['ferry', 'A ferry of the local server.', 'ferry']);
      expect(provider.requests).toHaveLength(before);
    } finally {
      await own.close();
    }
  });
});

describe('starting semantic-recall', () => {
  const start = (env: Record<string, string>) =>
    startService(semanticRecallService, { NATS_URL: nats.url, LOG_LEVEL: 'silent', SQLITE_PATH: ':memory:', ...env });

  test('the service rejects the embedded store if the configuration requires a shared one', async () => {
    await expect(start({ REQUIRE_SHARED_STORE: 'true' })).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('QDRANT_URL'),
    });
  });

  test('the service reports all errors in its environment together', async () => {
    await expect(start({ QDRANT_URL: 'localhost', EMBEDDING_MODEL: 'text-embedding' })).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(/QDRANT_URL.*EMBEDDING_MODEL/s),
    });
  });
});
