// Every route and every verb with the ids of another tenant, which has the same names of agent, subject and thread: no answer
// has a text of it, and it is unchanged.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Client } from '@millrace/client';
import { API, SCOPES, hashCaller, type ApiVerb, type Scope } from '@millrace/contracts';
import { useBus, useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildRequests, listRoutes, sendAsked, type Asked, type OpenApi } from './hidden-parts/ask-everything.ts';
import { script } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-tenants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const services = ['orchestrator', 'guardrails', 'tools', 'message-history', 'working-memory', 'semantic-recall'];
const stack = useStack(nats, services, () => ({ SQLITE_PATH: join(folder, 'memory.db'), GATEWAY_PORT: '0' }));
const buses = useBus(nats, 'intruders');

const TENANT = 'beta';
const SUBJECT = 'ada';
const THREAD = 'same-thread';
const SHARED = 'same-agent';
const HIDDEN = 'beta-agent';
/** In every text of the tenant. */
const SECRET = 'zebracode';
const definition = {
  model: 'openai/gpt-5-mini',
  flushMs: 0,
  record: 'changes',
  memory: { lastMessages: 10, semanticRecall: true, workingMemory: { template: 'Name: {{name}}' } },
  clientTools: true,
  tools: ['ask-user', 'calculator'],
  questions: ['ask-user'],
  input: [{ use: 'approval-gate', options: { tools: ['calculator'] } }],
};
const call = (name: string, args: object) => script({ toolCalls: [{ name, args }] }, { text: SECRET });
/** Inputs of runs that end, ask, wait for an approval, and call a tool of the client. */
const INPUTS = [
  script({ text: `It is ${SECRET}.` }),
  call('ask-user', { question: `Is ${SECRET} right?` }),
  call('calculator', { expression: SECRET }),
  call('mine', { text: SECRET }),
];
const clientTools = [{ name: 'mine', inputSchema: { type: 'object' } }];
const startedSchema = z.object({ runId: z.string() });

let url = '';
let owner: Client | undefined;
let ownKey = '';
let runs: string[] = [];
let tokens: { run: string; token: string }[] = [];

const getOwner = (): Client => {
  if (!owner) throw new Error('The client of the tenant is there only while the tests run.');
  return owner;
};
const createKey = async (client: Client, scopes: readonly Scope[], subject?: string): Promise<string> =>
  (await client.keys.create({ scopes: [...scopes], ...(subject !== undefined && { subject }) })).key;
const send = (key: string, asked: Asked, headers: Record<string, string> = {}) => sendAsked(url, key, asked, headers);
const post = (path: string, body: object): Asked => ({ method: 'POST', path, body });

beforeAll(async () => {
  const keys = join(nats.keys ?? '', 'auth');
  await stack.start('auth', {
    AUTH_ISSUER_FILE: join(keys, 'issuer.nk'),
    AUTH_ENCRYPTION_FILE: join(keys, 'encryption.nk'),
    AUTH_SYSTEM_FILE: join(keys, 'system.nk'),
  });
  await stack.start('gateway', { REQUESTS_PER_MINUTE: '1000000' });
  url = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
  owner = await connect({
    url: nats.url,
    tenant: TENANT,
    nkeyFile: join(nats.keys ?? '', 'operator', 'user.nk'),
  });
  await stack.client.agents.apply({ ...definition, name: SHARED });
  await owner.agents.apply({ ...definition, name: SHARED });
  await owner.agents.apply({ ...definition, name: HIDDEN, description: SECRET, instructions: SECRET });
  ownKey = await createKey(owner, SCOPES, SUBJECT);
  for (const input of INPUTS) {
    const body = { input, threadId: THREAD, clientTools };
    const started = await send(ownKey, post(`/v1/agents/${SHARED}/runs?wait=20`, body));
    runs.push(startedSchema.parse(await started.json()).runId);
  }
  await owner.memory.set({ resourceId: SUBJECT }, { note: SECRET });
  tokens = (await owner.runs.listSuspended()).flatMap(({ runId, pending }) =>
    pending.map(({ resumeToken }) => ({ run: runId, token: resumeToken })),
  );
}, 120_000);
afterAll(() => owner?.close());

async function readState(): Promise<unknown> {
  const client = getOwner();
  return {
    runs: await Promise.all(runs.map(async (run) => (await client.runs.get(run)).status)),
    thread: await client.threads.get(THREAD),
    memory: await client.memory.get({ resourceId: SUBJECT }),
    agents: (await client.agents.list()).map(({ agent, revision }) => [agent.name, revision]),
    keys: (await client.keys.list()).map(({ id }) => id),
  };
}

/** Every route with the ids of the tenant, except those that would change an agent of the same name of the intruder. */
async function listAsked(): Promise<Asked[]> {
  const document: OpenApi = JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
  const [key] = await getOwner().keys.list();
  const known = { runs, thread: THREAD, subject: SUBJECT };
  const routes = [SHARED, HIDDEN].flatMap((agent) => listRoutes(document, { ...known, agent }, 'hello'));
  const lists = ['threads', 'memory', 'runs'].flatMap((list) => [
    `/v1/${list}?resourceId=${SUBJECT}`,
    `/v1/${list}?threadId=${THREAD}`,
  ]);
  const resumed = tokens.flatMap(({ run, token }) =>
    ['answer', 'resume'].map((verb) => post(`/v1/runs/${run}/${verb}`, { token, data: { approved: true } })),
  );
  const result = { type: 'function_call_output', call_id: `call_${runs[3]}_0`, output: 'x' };
  const continued = runs.flatMap((run) => [
    post('/v1/responses', { model: SHARED, input: 'hello', previous_response_id: `resp_${run}` }),
    post('/v1/responses', { model: SHARED, input: [result], previous_response_id: `resp_${run}` }),
  ]);
  return [
    ...lists.map((path) => ({ method: 'GET', path })),
    post('/v1/threads/search', { query: SECRET }),
    ...resumed,
    ...continued,
    ...routes
      .filter(({ method, path }) => path !== `/v1/agents/${SHARED}` || method === 'GET')
      .map((asked) => ({ ...asked, path: asked.path.replace('/v1/keys/unknown', `/v1/keys/${key?.id}`) })),
  ];
}

describe('over HTTP', () => {
  test.each<[string, Scope[], string | undefined]>([
    ['of the same subject', ['run', 'read', 'answer'], SUBJECT],
    ['that acts for others', ['run', 'read', 'answer', 'act-as'], 'server'],
    ['of an administrator', [...SCOPES], 'root'],
    ['of an operator without a subject', [...SCOPES], undefined],
  ])(
    'A key %s in another tenant reads and changes nothing by any route',
    async (_name, scopes, subject) => {
      const key = await createKey(stack.client, scopes, subject);
      const before = await readState();
      const found: string[] = [];
      for (const asked of await listAsked())
        for (const headers of [{}, { 'x-millrace-subject': SUBJECT }]) {
          const response = await send(key, asked, headers);
          const answer = (await response.text()) + JSON.stringify([...response.headers]);
          const isShown = answer.includes(SECRET) || (response.ok && runs.some((run) => answer.includes(run)));
          if (isShown) found.push(`${asked.method} ${asked.path}`);
        }
      expect(found).toEqual([]);
      expect(await readState()).toEqual(before);
    },
    180_000,
  );

  test('The key of the tenant reads the text by the same routes', async () => {
    const reading = (await listAsked()).filter(({ method, path }) => method === 'GET' && !/stream|chunks/.test(path));
    const read: string[] = [];
    for (const asked of reading)
      if ((await (await send(ownKey, asked)).text()).includes(SECRET))
        read.push(asked.path.replaceAll(/[\da-f-]{36}/g, 'RUN'));
    expect(read).toEqual(
      expect.arrayContaining([
        `/v1/memory?resourceId=${SUBJECT}`,
        `/v1/agents/${HIDDEN}`,
        `/v1/threads/${THREAD}/messages`,
        '/v1/runs/RUN',
        '/v1/suspended',
        '/v1/responses/resp_RUN',
      ]),
    );
  });
});

test('A token of another tenant reaches no verb of the tenant on NATS, and no payload names it', async () => {
  const token = await createKey(stack.client, ['run', 'read', 'answer'], SUBJECT);
  const caller = await hashCaller('default', SUBJECT);
  const bus = await buses.connect({ token, inboxPrefix: `_INBOX.${caller}` });
  const before = await readState();
  const requests = buildRequests({ agent: SHARED, thread: THREAD, subject: SUBJECT, tool: 'calculator' });
  const ask = async (verb: ApiVerb, address: { tenant: string; caller: string }, run: string) => {
    const [first] = requests[verb];
    const request = { ...first, ...(verb === 'submit' && { runId: run, tenant: TENANT }) };
    const subject = bus.subjects.api(verb, { ...address, ...(API[verb].run && { run }) });
    return (await bus.nc.request(subject, JSON.stringify(request), { timeout: 5_000 })).string();
  };
  const callers = [await hashCaller(TENANT, SUBJECT), caller, 'operator'];
  const verbs = Object.keys(API).filter((verb): verb is ApiVerb => verb in API);
  const reached: string[] = [];
  for (const verb of verbs)
    for (const run of API[verb].run ? runs : [''])
      for (const one of callers) {
        const answer = await ask(verb, { tenant: TENANT, caller: one }, run).catch(() => undefined);
        if (answer !== undefined) reached.push(`${verb} ${one}`);
        const own = one === caller ? await ask(verb, { tenant: 'default', caller }, run).catch(() => '') : '';
        if (own.includes(SECRET)) reached.push(`${verb} of its own`);
      }
  expect(reached).toEqual([]);
  expect(await ask('submit', { tenant: 'default', caller }, crypto.randomUUID())).toContain('"error"');
  expect(await readState()).toEqual(before);
}, 120_000);
