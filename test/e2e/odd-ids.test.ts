// Odd ids in every place of every route and verb: each request is answered or refused by name, and the stores keep the
// data of odd ids apart. The tenant has agents with the names of members of every object.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API, SCOPES, type ApiVerb } from '@millrace/contracts';
import { eventually, useBus, useNats, useRedis, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildRequests, listRoutes, sendAsked, type Asked } from './hidden-parts/ask-everything.ts';
import { script } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-odd-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const redis = useRedis();
const services = ['orchestrator', 'tools', 'message-history', 'working-memory', 'semantic-recall'];
const stack = useStack(nats, services, () => ({
  SQLITE_PATH: join(folder, 'memory.db'),
  REDIS_URL: redis.url,
  GATEWAY_PORT: '0',
}));
const operator = useBus(nats, 'operator', { role: 'operator' });

const AGENT = 'plain';
const RUN = 'odd-run';
const THREAD = 'odd-thread';
/** Names of agents that members of every object have. */
const INHERITED = ['constructor', 'toString', 'hasOwnProperty'];
/** Valid ids of threads and resources that are patterns, paths or code somewhere. */
const VALID = ['*', 'a*', '?', '[a]', '{a}', '>', 'a.b', 'a:b', 'a%3Ab', '%', 'a/b', "'", '\\', '__proto__', 'a', 'A'];
const ODD = [
  '*',
  '>',
  'a.b',
  'a/b',
  '%',
  '__proto__',
  'constructor',
  '',
  '\r\nx-odd: 1',
  '\u0000',
  'é😀',
  '\uD800',
  'x'.repeat(10_000),
];

const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        parameters: z.array(z.object({ in: z.string(), name: z.string() })).optional(),
        requestBody: z
          .object({
            content: z.object({
              'application/json': z.object({
                schema: z.object({ properties: z.record(z.string(), z.unknown()).optional() }),
              }),
            }),
          })
          .optional(),
      }),
    ),
  ),
});
type Document = z.output<typeof documentSchema>;

let url = '';
let key = '';
const send = (asked: Asked, headers: Record<string, string> = {}) => sendAsked(url, key, asked, headers);
const readDocument = async (): Promise<Document> =>
  documentSchema.parse(await (await fetch(`${url}/openapi.json`)).json());

beforeAll(async () => {
  await stack.start('auth');
  await stack.start('gateway', { REQUESTS_PER_MINUTE: '1000000' });
  url = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
  const memory = { lastMessages: 10, workingMemory: { template: 'Name: {{name}}' } };
  for (const name of [AGENT, ...INHERITED])
    await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', flushMs: 0, memory });
  key = (await stack.client.keys.create({ scopes: [...SCOPES], subject: 'root' })).key;
}, 120_000);

/** Returns the path part of an id, which no URL normalizes. */
const escapeId = (id: string): string => encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E');

/** Returns the requests with the value in each parameter of a path and query, and in each member of a body. */
function fillRoutes({ paths }: Document, value: string): Asked[] {
  const fill = (path: string, name = '') =>
    path.replaceAll(/\{(\w+)\}/g, (_, one: string) =>
      one === name ? escapeId(value) : one === 'agent' ? AGENT : 'unknown0',
    );
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const members = Object.keys(requestBody?.content['application/json'].schema.properties ?? {});
      const base = { method: method.toUpperCase(), ...(requestBody && { body: {} }) };
      return [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ ...base, path: fill(path, name) })),
        ...parameters
          .filter((one) => one.in === 'query')
          .map(({ name }) => ({ ...base, path: `${fill(path)}?${name}=${escapeId(value)}` })),
        ...members.map((name) => ({ ...base, path: fill(path), body: { [name]: value } })),
      ];
    }),
  );
}

/** Replaces each text of a request, one at a time. */
function* replaceTexts(value: unknown, by: string): Generator {
  if (typeof value === 'string') yield by;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value))
    for (const replaced of replaceTexts(member, by))
      yield Array.isArray(value)
        ? value.with(Number(name), replaced)
        : Object.fromEntries([...Object.entries(value), [name, replaced]]);
}

describe('odd threads and resources', () => {
  const start = async (input: string, threadId: string, subject: string) =>
    send(
      { method: 'POST', path: `/v1/agents/${AGENT}/runs?wait=20`, body: { input, threadId } },
      { 'x-millrace-subject': subject },
    );
  const read = async (path: string, subject: string): Promise<string[]> => {
    const text = await (await send({ method: 'GET', path }, { 'x-millrace-subject': subject })).text();
    return [...new Set(text.match(/mark-\d+-/g))];
  };
  const mark = (at: number) => `mark-${at}-`;
  const kept = VALID.slice(8);

  test('Each thread has its own messages alone, also after the deletion of others', async () => {
    const threads = VALID.map((id) => `t${id}`);
    for (const [at, thread] of threads.entries())
      expect((await start(script({ text: mark(at) }), thread, 'threads')).status).toBe(200);
    const path = (thread: string) => `/v1/threads/${escapeId(thread)}`;
    const readAll = () => Promise.all(threads.map((thread) => read(`${path(thread)}/messages`, 'threads')));
    expect(await readAll()).toEqual(threads.map((_, at) => [mark(at)]));
    for (const id of VALID.slice(0, 8))
      await send({ method: 'DELETE', path: path(`t${id}`) }, { 'x-millrace-subject': 'threads' });
    expect(await readAll()).toEqual(VALID.map((id, at) => (kept.includes(id) ? [mark(at)] : [])));
  }, 60_000);

  test('Each resource has its own memory and threads alone, also after the erasure of others', async () => {
    for (const [at, id] of VALID.entries()) {
      await start(script({ text: mark(at) }), `of-${at}`, id);
      await stack.client.memory.set({ resourceId: id }, { note: mark(at) });
    }
    const readAll = () =>
      Promise.all(
        VALID.map(async (id, at) => [
          ...(await read('/v1/memory', id)),
          ...(await read(`/v1/threads/of-${at}/messages`, id)),
        ]),
      );
    expect(await readAll()).toEqual(VALID.map((_, at) => [mark(at), mark(at)]));
    for (const id of VALID.slice(0, 8)) await stack.client.erase(id);
    const left = VALID.map((id, at) => (kept.includes(id) ? [mark(at), mark(at)] : []));
    await eventually(async () => expect(await readAll()).toEqual(left), { timeoutMs: 60_000 });
  }, 120_000);
});

test.each(ODD)(
  'Each route answers or refuses %j in each place',
  async (value) => {
    const document = await readDocument();
    const known = { agent: AGENT, runs: [RUN], thread: THREAD };
    const others = listRoutes({ paths: {} }, { ...known, subject: 'root' }, 'hello').flatMap((asked) => [
      { ...asked, path: asked.path.replace(new RegExp(`${AGENT}|${RUN}|${THREAD}`), escapeId(value)) },
      ...[...replaceTexts(asked.body, value)].map((body) => ({ ...asked, body })),
    ]);
    const broken: string[] = [];
    for (const asked of [...fillRoutes(document, value), ...others]) {
      const response = await send(asked);
      const text = await response.text();
      // 503: a memory or a processor that this stack has not.
      const isRefused = response.status < 500 || (response.status === 503 && text.includes('"code"'));
      if (!isRefused || response.headers.has('x-odd'))
        broken.push(`${asked.method} ${asked.path} ${response.status} ${text}`);
    }
    expect(broken).toEqual([]);
  },
  120_000,
);

test.each(Object.keys(API).filter((verb): verb is ApiVerb => verb in API))(
  'The verb %s answers or refuses each odd id in each place',
  async (verb) => {
    const requests: readonly unknown[] = buildRequests({
      agent: AGENT,
      thread: THREAD,
      subject: 'root',
      tool: 'clock',
    })[verb];
    const { bus } = operator;
    const run = crypto.randomUUID();
    const subject = bus.subjects.api(verb, { tenant: 'default', caller: 'operator', ...(API[verb].run && { run }) });
    const bodies = ODD.flatMap((value) => [...replaceTexts(requests[0], value)].map((body) => JSON.stringify(body)));
    const ask = async (body: string) => (await bus.nc.request(subject, body, { timeout: 60_000 })).string();
    const answers = await Promise.all(bodies.map(async (body) => ({ body, answer: await ask(body) })));
    const broken = answers.filter(({ answer }) => answer.includes('"code":"internal"')).map(({ body }) => body);
    expect(broken).toEqual([]);
  },
  120_000,
);
