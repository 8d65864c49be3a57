// The own API over HTTP with real services behind it.
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OWN_ROUTES } from './own-api.ts';
import { script } from '../testing/scripted.ts';
import { postJson, readEvents, useGateway } from '../testing/gateway-under-test.ts';

const gateway = useGateway();
const agent = 'http-plain';

beforeAll(async () => {
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
  await gateway.stack.client.agents.apply({ ...base, name: agent });
  await gateway.stack.client.agents.apply({ ...base, name: 'only-this' });
});

const start = (key: string, body: object, init: { accept?: string; query?: string; headers?: object } = {}) =>
  gateway.fetch(
    `/v1/agents/${agent}/runs${init.query ?? ''}`,
    key,
    postJson(body, { ...(init.accept && { accept: init.accept }), ...init.headers }),
  );
const EVENTS = 'text/event-stream';
const readRunId = async (response: Response): Promise<string> =>
  z.object({ runId: z.string() }).parse(await response.json()).runId;
const text = (events: { event?: string | undefined; data: string }[]): string =>
  events
    .filter(({ event }) => event === undefined)
    .map(({ data }) => JSON.parse(data))
    .filter(({ type }) => type === 'text-delta')
    .map(({ payload }) => payload.text)
    .join('');

describe('starting a run', () => {
  test.each([{ accept: EVENTS }, {}])(
    'A start above the limit of its key is a 429, and no run is submitted: %j',
    async (init) => {
      const key = init.accept === undefined ? 'key-few-2026' : 'key-few-2025';
      const threadId = crypto.randomUUID();
      const statuses = [];
      for (let left = 8; left > 0; left -= 1) {
        const response = await start(key, { input: script({ text: 'Hello.' }), threadId }, init);
        statuses.push(response.status);
        await response.text();
      }
      expect(statuses.slice(-2)).toEqual([429, 429]);
      const { runs } = await gateway.stack.client.runs.list({ threadId });
      expect(runs).toHaveLength(6);
      expect((await start(key, { input: 1 }, init)).status).toBe(429);
    },
  );

  test('A start returns 202 with the id of the run', async () => {
    const response = await start('key-ada', { input: script({ text: 'Hello.' }) });
    expect(response.status).toBe(202);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('6000');
    expect(await response.json()).toMatchObject({ runId: expect.any(String) });
  });

  test('A start that waits returns 200 with the result', async () => {
    const response = await start('key-ada', { input: script({ text: 'Hello.' }) }, { query: '?wait=20' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'finished', text: 'Hello.' });
  });

  test('A start that accepts events streams the chunks with their positions and the end', async () => {
    const response = await start('key-ada', { input: script({ text: 'Hello there.' }) }, { accept: EVENTS });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = await readEvents(response);
    expect(text(events)).toBe('Hello there.');
    expect(events[0]?.id).toBe('1.0');
    expect(events.at(-1)).toMatchObject({ event: 'end', data: expect.stringContaining('"status":"finished"') });
  });

  test('A repeated Idempotency-Key is the same run, and another body is a conflict', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const input = script({ text: 'Once.' });
    const [first, second] = await Promise.all([
      start('key-ada', { input }, { headers }).then(readRunId),
      start('key-ada', { input }, { headers }).then(readRunId),
    ]);
    expect(second).toBe(first);
    const other = await start('key-ada', { input: 'another text' }, { headers });
    expect(other.status).toBe(409);
    const problem = await other.json();
    expect(problem).toMatchObject({ code: 'run-exists', path: 'Idempotency-Key' });
    expect(JSON.stringify(problem)).not.toMatch(/idem-|run id/);
    expect(await readRunId(await start('key-bob', { input }, { headers }))).not.toBe(first);
  });
});

describe('rejoining a run', () => {
  test('A reader that rejoins with Last-Event-ID receives the rest of the text', async () => {
    const words = 'One two three four five six seven eight nine ten.';
    const input = script({ text: words, chunkSize: 2, delayMs: 20 });
    const first = await start('key-ada', { input }, { accept: EVENTS });
    const runId = first.headers.get('x-millrace-run-id');
    const seen = await readEvents(first, ({ data }) => data.includes('"text-delta"'));
    const headers = { 'last-event-id': seen.at(-1)?.id ?? '' };
    const rest = await readEvents(await gateway.fetch(`/v1/runs/${runId}/chunks`, 'key-ada', { headers }));
    expect(text(seen) + text(rest)).toBe(words);
  });

  test('A reader that rejoins after the last chunk receives the end of the run', async () => {
    const runId = await readRunId(await start('key-ada', { input: script({ text: 'Over.' }) }, { query: '?wait=20' }));
    const follow = (query = '') => gateway.fetch(`/v1/runs/${runId}/chunks${query}`, 'key-ada');
    const all = await readEvents(await follow());
    const ending = [expect.objectContaining({ event: 'end', data: expect.stringContaining('"finished"') })];
    // Neither the last position nor one that the run never reached waits for a chunk.
    for (const after of [all.at(-2)?.id, '1.99999', '6.0'])
      expect(await readEvents(await follow(`?after=${after}`))).toEqual(ending);
  });

  test('A stream of an ended run is replayed from its start', async () => {
    const runId = await readRunId(await start('key-ada', { input: script({ text: 'Again.' }) }, { query: '?wait=20' }));
    expect(text(await readEvents(await gateway.fetch(`/v1/runs/${runId}/chunks`, 'key-ada')))).toBe('Again.');
  });

  test.each(['x', '0.1', '1', '-1.2'])('The position %s is refused', async (after) => {
    const response = await gateway.fetch(`/v1/runs/r1/chunks?after=${after}`, 'key-ada');
    expect(response.status).toBe(400);
  });
});

describe('owners', () => {
  test('A run of another subject does not exist on any route', async () => {
    const runId = await readRunId(await start('key-ada', { input: script({ text: 'Mine.' }) }, { query: '?wait=20' }));
    const answer = { token: 'x', data: 1 };
    const routes: [string, RequestInit?][] = [
      [`/v1/runs/${runId}`],
      [`/v1/runs/${runId}/chunks`],
      [`/v1/runs/${runId}/events`],
      [`/v1/runs/${runId}/cancel`, postJson({})],
      [`/v1/runs/${runId}/release`, postJson({})],
      [`/v1/runs/${runId}/answer`, postJson(answer)],
    ];
    for (const [path, init] of routes) {
      const response = await gateway.fetch(path, 'key-bob', init);
      expect([path, response.status]).toEqual([path, 404]);
    }
    expect((await gateway.fetch(`/v1/runs/${runId}`, 'key-ada')).status).toBe(200);
    expect((await gateway.fetch(`/v1/runs/${runId}`, 'key-root')).status).toBe(200);
  });

  test('Only a key with act-as runs on behalf of another subject', async () => {
    const headers = { 'x-millrace-subject': 'bob' };
    const input = script({ text: 'For Bob.' });
    const site = await readRunId(await start('key-site', { input }, { query: '?wait=20', headers }));
    expect((await gateway.fetch(`/v1/runs/${site}`, 'key-bob')).status).toBe(200);
    const ada = await readRunId(await start('key-ada', { input }, { query: '?wait=20', headers }));
    expect((await gateway.fetch(`/v1/runs/${ada}`, 'key-bob')).status).toBe(404);
  });
});

describe('lists', () => {
  test('The runs of a caller are filtered by thread, and the newest run of a thread has its input', async () => {
    const threadId = crypto.randomUUID();
    const begin = (key: string) => start(key, { input: script({ text: 'Hi.' }), threadId }, { query: '?wait=20' });
    const runId = await readRunId(await begin('key-ada'));
    await begin('key-bob');
    await expect
      .poll(async () => (await gateway.fetch(`/v1/runs?threadId=${threadId}&newest=true`, 'key-ada')).json())
      .toMatchObject({ runs: [{ runId, threadId, subject: 'ada', status: 'finished' }] });
    const newest = await gateway.fetch(`/v1/threads/${threadId}/newest-run`, 'key-ada');
    expect(await newest.json()).toMatchObject({ run: { runId }, input: [{ role: 'user' }] });
    expect((await gateway.fetch(`/v1/threads/${crypto.randomUUID()}/newest-run`, 'key-ada')).status).toBe(404);
  });
});

describe('refusals', () => {
  test.each([
    ['no key', undefined, '/v1/runs', 401],
    ['an unknown key', 'key-unknown', '/v1/runs', 401],
    ['a key without the scope of an operator', 'key-ada', '/v1/suspended', 403],
    ['an unknown run', 'key-ada', '/v1/runs/none', 404],
    ['an unknown route', 'key-ada', '/v1/nothing', 404],
    ['a run id that is no token', 'key-ada', '/v1/runs/a.b', 404],
    ['a limit that is no number', 'key-ada', '/v1/runs?limit=x', 400],
  ])('The gateway refuses %s as a problem', async (_name, key, path, status) => {
    const response = await gateway.fetch(path, key);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status, code: expect.any(String), detail: expect.any(String) });
  });

  test('A key with the scope read starts no run', async () => {
    const response = await start('key-reader', { input: 'x' });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'scope-missing' });
  });

  test('An agent outside of the list of a key does not exist for it', async () => {
    expect((await start('key-single', { input: 'x' })).status).toBe(404);
    const list = await gateway.fetch('/v1/agents', 'key-single');
    expect(await list.json()).toEqual({ agents: [expect.objectContaining({ name: 'only-this' })] });
  });

  test('A body that is not JSON, an unknown member and a body above the limit are refused', async () => {
    const path = `/v1/agents/${agent}/runs`;
    const headers = { 'content-type': 'application/json' };
    expect((await gateway.fetch(path, 'key-ada', { method: 'POST', headers, body: '{' })).status).toBe(400);
    const unknown = await start('key-ada', { input: 'x', thread: 't' });
    expect(await unknown.json()).toMatchObject({ status: 400, issues: [{ path: expect.stringContaining('thread') }] });
    const large = await start('key-ada', { input: 'x'.repeat(5_000_000) });
    expect(large.status).toBe(413);
  });

  test('A key above its requests a minute is refused with the time to wait', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await gateway.fetch('/v1/agents', 'key-slow')).status);
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await gateway.fetch('/v1/agents', 'key-slow');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('A definition with another name than that of its path is refused', async () => {
    const body = JSON.stringify({ name: 'another', model: 'openai/x' });
    const response = await gateway.fetch('/v1/agents/misnamed', 'key-root', { method: 'PUT', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('"misnamed"') });
  });

  test('A page of another site and a foreign host name are refused', async () => {
    const page = await gateway.fetch('/v1/agents', 'key-ada', { headers: { origin: 'https://evil.example' } });
    expect(page.status).toBe(403);
    const own = await gateway.fetch('/v1/agents', 'key-ada', { headers: { origin: gateway.url } });
    expect(own.status).toBe(200);
  });
});

describe('bodies of strangers', () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

  test.each([
    ['a start', `/v1/agents/${agent}/runs`, 'POST', `{"input":"x","requestContext":${deep}}`],
    ['a definition', '/v1/agents/deep', 'PUT', `{"model":"openai/x","providerOptions":${deep}}`],
    [
      'a chat completion',
      '/v1/chat/completions',
      'POST',
      `{"model":"${agent}","messages":[{"role":"user","content":"x"}],"x":${deep}}`,
    ],
    ['a response', '/v1/responses', 'POST', `{"model":"${agent}","input":"x","metadata":${deep}}`],
    [
      'a chat of a page',
      `/v1/agents/${agent}/ui`,
      'POST',
      `{"id":"c","messages":[{"id":"m","role":"user","parts":[]}],"x":${deep}}`,
    ],
  ])(
    'The gateway refuses %s that is nested 100,000 deep, and serves the next request',
    async (_name, path, method, body) => {
      const response = await gateway.fetch(path, 'key-root', { method, body });
      expect(response.status).toBe(400);
      await response.text();
      expect((await gateway.fetch('/v1/agents', 'key-root')).status).toBe(200);
    },
  );
});

test.each(OWN_ROUTES.map(({ method, path }) => [method, path]))(
  '%s %s refuses an unknown parameter by its name',
  async (method, path) => {
    const url = `${path.replaceAll(/\{\w+\}/g, 'any')}?limt=5`;
    const refused = await gateway.fetch(url, 'key-root', { method });
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'message-invalid', path: 'limt' }]);
  },
);

test.each(['=1', '=', 'limit=1&=2'])('The query ?%s is refused, because a parameter has no name', async (query) => {
  const refused = await gateway.fetch(`/v1/threads?${query}`, 'key-ada');
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { detail: expect.stringContaining('no parameter ""') },
  ]);
});

test('A parameter that the query repeats is refused by its name', async () => {
  for (const query of ['limit=1&limit=2', 'limit=1&limit=1']) {
    const refused = await gateway.fetch(`/v1/threads?${query}`, 'key-ada');
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'message-invalid', path: 'limit' }]);
  }
});
