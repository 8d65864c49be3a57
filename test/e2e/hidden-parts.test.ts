// A definition full of marks, read by every verb and route as every role: no answer has a mark that the table of rights
// does not grant. docs/security.md, "Answers for end clients".
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  API,
  API_VERBS,
  agentSchema,
  hashCaller,
  isOperatorVerb,
  type ApiVerb,
  type DefinitionPart,
  type Scope,
} from '@millrace/contracts';
import { eventually, useBus, useNats, useProcessors, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  buildRequests,
  listRoutes,
  sendAsked,
  type Asked,
  type Known,
  type OpenApi,
} from './hidden-parts/ask-everything.ts';
import {
  AGENT,
  BLOCKED_WORD,
  WITHOUT_TEXT,
  definition,
  findMarks,
  listMarks,
  processors,
  toolNames,
  tools,
} from './hidden-parts/marked-agent.ts';
import { script, type ScriptElement } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-hidden-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const services = ['orchestrator', 'guardrails', 'message-history', 'working-memory', 'semantic-recall'];
const stack = useStack(nats, services, () => ({ SQLITE_PATH: join(folder, 'memory.db'), GATEWAY_PORT: '0' }));
useProcessors(nats, processors, 'marked-processors', tools);
const gateway = useBus(nats, 'gateway', { role: 'gateway' });
const clients = useBus(nats, 'clients');

/** They end the runs that the other verbs read. */
const ENDING: readonly ApiVerb[] = ['cancel', 'release', 'delete'];
const VERBS = [...API_VERBS.filter((verb) => !ENDING.includes(verb)), ...ENDING];
const SUBJECT = 'ada';
const THREAD = 'ada-thread';
const FAILED_THREAD = `${THREAD}-failed`;
const OWN_SCOPES: readonly Scope[][] = [['run'], ['read'], ['answer'], ['run', 'read', 'answer']];
const answered: ScriptElement = { text: '{"city":"Oslo"}' };
/** Inputs of runs with each end: finished after a tool call, blocked in the output, blocked in the input, suspended, failed. */
const INPUTS = [
  script({ toolCalls: [{ name: toolNames.tool, args: { text: 'x' } }] }, answered),
  script({ text: `{"city":"${BLOCKED_WORD}"}` }),
  BLOCKED_WORD,
  script({ toolCalls: [{ name: toolNames.asking, args: {} }] }, answered),
  script({ error: { status: 400, message: 'the request is bad' } }),
];
let known: Known = { agent: AGENT, runs: [], thread: THREAD, subject: SUBJECT };
let url = '';
let caller = '';

const createKey = async (scopes: readonly Scope[], more: object = {}) =>
  (await stack.client.keys.create({ scopes: [...scopes], subject: SUBJECT, ...more })).key;
const send = (key: string, asked: Asked) => sendAsked(url, key, asked);

beforeAll(async () => {
  const keys = join(nats.keys ?? '', 'auth');
  await stack.start('auth', {
    AUTH_ISSUER_FILE: join(keys, 'issuer.nk'),
    AUTH_ENCRYPTION_FILE: join(keys, 'encryption.nk'),
    AUTH_SYSTEM_FILE: join(keys, 'system.nk'),
  });
  await stack.start('gateway');
  url = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
  caller = await hashCaller('default', SUBJECT);
  await eventually(() => stack.client.agents.apply(definition), { timeoutMs: 60_000 });
}, 120_000);

async function startRuns(): Promise<void> {
  const key = await createKey(['run']);
  const runs: string[] = [];
  for (const [at, input] of INPUTS.entries()) {
    // The newest run of one thread is suspended, that of the other has failed.
    const body = { input, threadId: at === INPUTS.length - 1 ? FAILED_THREAD : THREAD };
    const run = await send(key, { method: 'POST', path: `/v1/agents/${AGENT}/runs?wait=20`, body });
    runs.push(/"runId":"([^"]+)"/.exec(await run.text())?.[1] ?? '');
  }
  known = { ...known, runs };
}

type Ask = (verb: ApiVerb, run: string | undefined, request: unknown) => Promise<string>;
const buildSubject = (verb: ApiVerb, run: string | undefined, by = caller) =>
  gateway.bus.subjects.api(verb, { tenant: 'default', caller: by, ...(run !== undefined && { run }) });

/** Returns the answers of a verb, for each of its requests and each of the runs. */
async function askVerb(verb: ApiVerb, ask: Ask): Promise<string> {
  const runs = verb === 'submit' ? [crypto.randomUUID()] : API[verb].run ? known.runs : [undefined];
  const requests: readonly unknown[] = buildRequests({ ...known, tool: toolNames.tool })[verb];
  const asked = runs.flatMap((run) =>
    requests.map((request) => ask(verb, run, verb === 'submit' ? { ...Object(request), runId: run } : request)),
  );
  return (await Promise.all(asked)).join('\n');
}
const shownParts = (text: string) => [...new Set(findMarks(text).map(({ part }) => part))].toSorted();
/** The marks that the parts do not grant. The public part has the names of tools. */
const findUngranted = (text: string, parts: ReadonlySet<string>): string[] => {
  const { name, description, tools: named, questions, overrides } = definition;
  const publicTexts = JSON.stringify([name, description, named, questions, overrides]);
  return findMarks(text).flatMap(({ mark, part }) =>
    parts.has(part) || (parts.has('public') && publicTexts.includes(mark)) ? [] : [mark],
  );
};

test('Each member of the schema of agents that can hold a text is in the definition, with a mark', () => {
  const members = Object.keys(agentSchema.shape).filter((member) => !WITHOUT_TEXT.includes(member));
  const marked = Object.entries(definition).filter(
    ([name, value]) =>
      ['callerRoles', 'overrides', 'callerSettings'].includes(name) || findMarks(JSON.stringify(value)).length > 0,
  );
  expect(marked.map(([name]) => name).toSorted()).toEqual(members.toSorted());
});

test('An operator reads every mark of the definition and of its plan', async () => {
  const read = JSON.stringify([await stack.client.agents.get(AGENT), await stack.client.processors.list()]);
  expect([...listMarks().keys()].filter((mark) => !read.includes(mark))).toEqual([]);
});

describe('on NATS', () => {
  beforeAll(startRuns, 60_000);
  const unseen: string[] = [];
  const askAs =
    (bus: () => typeof gateway.bus): Ask =>
    async (verb, run, request) => {
      const { nc } = bus();
      return (await nc.request(buildSubject(verb, run), JSON.stringify(request), { timeout: 10_000 })).string();
    };

  test.each(VERBS)('The service that answers %s shows an end client the parts that the table grants', async (verb) => {
    const text = await askVerb(
      verb,
      askAs(() => gateway.bus),
    );
    const granted = isOperatorVerb(verb) ? [] : API[verb].shows;
    expect(findUngranted(text, new Set(granted))).toEqual([]);
    expect(!isOperatorVerb(verb) || /"code":"(permission-denied|message-invalid)"/.test(text)).toBe(true);
    const shown: readonly string[] = shownParts(text);
    unseen.push(...granted.filter((part) => !shown.includes(part)).map((part) => `${verb}: ${part}`));
  });

  test('Each part that the table grants is in an answer of its verb', () => {
    // A save is deferred only during an outage.
    expect(unseen).toEqual(['saves-list: names']);
  });

  test.each(OWN_SCOPES.map((scopes) => ({ scopes })))(
    'A client with the scopes $scopes reads the parts that the table grants, and asks no other verb',
    async ({ scopes }) => {
      const token = await createKey(scopes);
      const bus = await clients.connect({ token, inboxPrefix: `_INBOX.${caller}` });
      const ask = askAs(() => bus);
      const refused: ApiVerb[] = [];
      const found: string[] = [];
      for (const verb of VERBS) {
        const text = await askVerb(verb, ask).catch(() => void refused.push(verb));
        found.push(...findUngranted(text ?? '', new Set(API[verb].shows)).map((mark) => `${verb} ${mark}`));
      }
      expect(found).toEqual([]);
      const allowed = VERBS.filter((verb) => scopes.includes(API[verb].scope));
      expect(VERBS.filter((verb) => !refused.includes(verb))).toEqual(allowed);
    },
  );
});

describe('over HTTP', () => {
  const roles: [string, Scope[], object][] = [
    ...OWN_SCOPES.map((scopes): [string, Scope[], object] => [scopes.join(' and '), scopes, {}]),
    ['every scope of end clients, limited to the agent', ['run', 'read', 'answer'], { agents: [AGENT] }],
    ['act-as besides them', ['run', 'read', 'answer', 'act-as'], {}],
  ];
  test.each(roles)(
    'A key with %s reads the parts that the verbs of its scopes grant',
    async (_name, scopes, more) => {
      await startRuns();
      const key = await createKey(scopes, more);
      const document: OpenApi = JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
      const parts = new Set<DefinitionPart>(
        VERBS.filter((verb) => scopes.includes(API[verb].scope)).flatMap((verb) => API[verb].shows),
      );
      // A started run answers with its result.
      if (scopes.includes('run')) for (const part of [...API.run.shows, ...API['agents-list'].shows]) parts.add(part);
      const found: string[] = [];
      let accepted = 0;
      for (const asked of listRoutes(document, known, INPUTS[0] ?? '')) {
        const response = await send(key, asked);
        const text = await response.text();
        accepted += response.ok ? 1 : 0;
        const headers = JSON.stringify([...response.headers]);
        found.push(...findUngranted(text + headers, parts).map((mark) => `${asked.method} ${asked.path} ${mark}`));
      }
      expect(found).toEqual([]);
      expect(accepted).toBeGreaterThan(0);
    },
    120_000,
  );

  test('The list of agents has the members that a client on NATS reads', async () => {
    const key = await createKey(['read']);
    const list: { agents: object[] } = JSON.parse(
      await (await send(key, { method: 'GET', path: '/v1/agents' })).text(),
    );
    const { agent, revision, appliedAt } = await stack.client.agents.getPublic(AGENT);
    expect(list.agents).toEqual([{ ...agent, revision, appliedAt }]);
  });
});
