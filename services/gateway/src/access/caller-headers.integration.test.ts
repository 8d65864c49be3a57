// The headers with the subject and the thread of a request, on every route of the gateway.
import { beforeAll, describe, expect, test } from 'vitest';
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
