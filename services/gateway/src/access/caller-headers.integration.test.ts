// The headers with the subject and the thread of a request, on every route of the gateway.
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { postJson, useGateway } from '../testing/gateway-under-test.ts';
import { script } from '../testing/scripted.ts';

const gateway = useGateway();
const agent = 'acting-plain';

beforeAll(() =>
  gateway.stack.client.agents.apply({ name: agent, model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 }),
);

const hello = script({ text: 'Hello.' });
const chat = { model: agent, messages: [{ role: 'user', content: hello }] };
const INVALID = ['Mallory Lee', '', 'x'.repeat(5_000)];

/** The routes that need a credential, with a value for each parameter. */
const listCredentialRoutes = () =>
  gateway
    .listRoutes()
    .filter(({ path }) => /^\/(v1|mcp|beta)\b/.test(path))
    .map(({ method, path }) => ({ method: method === 'ALL' ? 'POST' : method, path: path.replaceAll(/:\w+/g, 'x') }));

describe('a header that is no valid id', () => {
  test.each(['x-millrace-subject', 'x-millrace-thread'])(
    'The gateway refuses an invalid %s on every route',
    async (name) => {
      const routes = listCredentialRoutes();
      expect(routes.length).toBeGreaterThan(50);
      for (const { method, path } of routes)
        for (const value of INVALID) {
          const init = { method, headers: { [name]: value }, ...(method !== 'GET' && { body: '{}' }) };
          const response = await gateway.fetch(path, 'key-root', init);
          const answer = await response.text();
          expect([method, path, response.status, answer]).toEqual([method, path, 400, expect.stringContaining(name)]);
          expect(answer).toContain('message-invalid');
        }
    },
  );

  test.each(['key-host', 'key-site', 'key-root'])(
    'The gateway takes no subject of the body of %s in place of an invalid header',
    async (key) => {
      const named = { user: 'ada', safety_identifier: 'ada' };
      for (const header of ['x-millrace-subject', 'x-openwebui-user-id']) {
        const init = postJson({ ...chat, ...named }, { [header]: 'Mallory Lee' });
        const response = await gateway.fetch('/v1/chat/completions', key, init);
        expect([response.status, await response.json()]).toMatchObject([400, { error: { param: header } }]);
      }
      const init = postJson({ model: agent, input: hello, ...named }, { 'x-millrace-subject': 'Mallory Lee' });
      const response = await gateway.fetch('/v1/responses', key, init);
      expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'x-millrace-subject' } }]);
    },
  );
});

test('Without a header the gateway takes the subject of the body, and a member that is no valid id counts as absent', async () => {
  const init = postJson({ ...chat, safety_identifier: 'Ada Lovelace', user: 'ada' });
  const response = await gateway.fetch('/v1/chat/completions', 'key-host', init);
  expect(response.status).toBe(200);
  const run = `/v1/runs/${response.headers.get('x-millrace-run-id')}`;
  expect((await gateway.fetch(run, 'key-ada')).status).toBe(200);
});

describe('a request on behalf of the subject that its header names', () => {
  const thread = crypto.randomUUID();
  const startedSchema = z.object({ runId: z.string(), status: z.literal('finished') });
  const nameSubject = (subject: string) => ({ 'x-millrace-subject': subject });
  const ask = (key: string, subject: string, path: string, { headers, ...init }: RequestInit = {}) =>
    gateway.fetch(path, key, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(headers)), ...nameSubject(subject) },
    });
  const startRun = async (key: string, subject: string): Promise<string> => {
    const init = postJson({ input: hello, threadId: thread });
    const response = await ask(key, subject, `/v1/agents/${agent}/runs?wait=20`, init);
    return startedSchema.parse(await response.json()).runId;
  };
  /** Each route of a run or thread: the statuses for another subject and for the owner. A chat of a page counts as empty. */
  const listRoutes = (runId: string): [string, RequestInit | undefined, number, number][] => [
    [`/v1/runs/${runId}`, undefined, 404, 200],
    [`/v1/runs/${runId}/chunks`, undefined, 404, 200],
    [`/v1/runs/${runId}/events`, undefined, 404, 200],
    [`/v1/runs/${runId}/cancel`, postJson({}), 404, 200],
    [`/v1/runs/${runId}/release`, postJson({}), 404, 409],
    [`/v1/runs/${runId}/answer`, postJson({ token: 'x'.repeat(43), data: 1 }), 404, 409],
    [`/v1/threads/${thread}/newest-run`, undefined, 404, 200],
    [`/v1/agents/${agent}/ui/${thread}/stream`, undefined, 204, 204],
    [`/v1/agents/${agent}/ui/${thread}/stop`, postJson({}), 204, 204],
    [`/v1/responses/resp_${runId}`, undefined, 404, 200],
    [`/v1/responses/resp_${runId}?stream=true`, undefined, 404, 200],
    [`/v1/responses/resp_${runId}/cancel`, postJson({}), 404, 200],
    ['/v1/responses', postJson({ model: agent, input: hello, previous_response_id: `resp_${runId}` }), 404, 400],
    [`/v1/responses/resp_${runId}`, { method: 'DELETE' }, 404, 200],
  ];

  test.each(['key-host', 'key-site', 'key-root'])(
    'A run of another subject does not exist on any route of %s, and the own one does',
    async (key) => {
      const runId = await startRun(key, 'bob');
      const list = async (at: 2 | 3, subject: string) => {
        const statuses: unknown[] = [];
        for (const [path, init] of listRoutes(runId)) {
          const response = await ask(key, subject, path, init);
          statuses.push([path, init?.method, response.status]);
          await response.text();
        }
        const expected = listRoutes(runId).map((row) => [row[0], row[1]?.method, row[at]]);
        expect(statuses).toEqual(expected);
      };
      await list(2, 'carol');
      expect((await gateway.fetch(`/v1/runs/${runId}`, 'key-bob')).status).toBe(200);
      await list(3, 'bob');
    },
  );

  test('A key without a subject and without the scope operate uses the routes of models and checks for its user', async () => {
    const texts = ['Hello.'];
    const routes: [string, RequestInit?][] = [
      ['/v1/models'],
      [`/v1/models/${agent}`],
      ['/v1/moderations', postJson({ model: agent, input: texts })],
      [`/v1/agents/${agent}/beta/litellm_basic_guardrail_api`, postJson({ texts, input_type: 'request' })],
      ['/v1/conversations', postJson({})],
      [`/v1/agents/${agent}/ui/${thread}/messages`],
      ['/v1/runs'],
    ];
    for (const [path, init] of routes) {
      const response = await ask('key-host', 'bob', path, init);
      expect([path, response.status]).toEqual([path, 200]);
      await response.text();
    }
  });
});
