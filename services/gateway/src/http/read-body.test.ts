// Bodies over real connections, with and without a declared length.
import { MillraceError } from '@millrace/contracts';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { quietListener } from '../testing/quiet-listener.ts';
import { listenHttp, type ListeningServer } from './listen.ts';
import { buildProblemResponse } from './problem.ts';
import { readJsonBody } from './read-body.ts';

const MAX_BYTES = 1_000;
let server: ListeningServer | undefined;
beforeAll(async () => {
  const app = new Hono();
  app.post('/', async (call) =>
    call.json(await readJsonBody(call.req.raw, z.object({ text: z.string() }), { maxBytes: MAX_BYTES })),
  );
  app.post('/refused', async (call) => {
    const onBytes = () => {
      throw new MillraceError('limit-exceeded', 'There is no room.');
    };
    return call.json(await readJsonBody(call.req.raw, z.object({}), { maxBytes: 1_000_000, onBytes }));
  });
  app.onError(buildProblemResponse);
  server = await listenHttp(app, quietListener);
});
afterAll(() => server?.close(0));

async function post(body: string, isDeclared: boolean) {
  const sent = isDeclared ? { body } : { body: new Blob([body]).stream(), duplex: 'half' as const };
  const response = await fetch(server?.url ?? '', { method: 'POST', ...sent });
  return { status: response.status, body: await response.json() };
}

test.each([
  ['with', true],
  ['without', false],
])('A body %s a declared length is read up to its limit', async (_with, isDeclared) => {
  const text = 'é and 😀';
  expect(await post(JSON.stringify({ text }), isDeclared)).toEqual({ status: 200, body: { text } });
  expect(await post('{"text": ', isDeclared)).toMatchObject({ status: 400, body: { code: 'message-invalid' } });
  const large = JSON.stringify({ text: 'x'.repeat(MAX_BYTES) });
  expect(await post(large, isDeclared)).toMatchObject({ status: 413, body: { code: 'message-too-large' } });
});

test.each(['gzip', 'br', 'deflate, gzip', 'zstd'])(
  'A body of the encoding %s is refused by its header',
  async (encoding) => {
    const headers = { 'content-encoding': encoding };
    const response = await fetch(server?.url ?? '', { method: 'POST', headers, body: '{"text":"x"}' });
    expect([response.status, await response.json()]).toMatchObject([400, { path: 'content-encoding' }]);
  },
);

test('A body of the encoding identity is read', async () => {
  const headers = { 'content-encoding': 'Identity' };
  const response = await fetch(server?.url ?? '', { method: 'POST', headers, body: '{"text":"x"}' });
  expect(response.status).toBe(200);
});

test('A client keeps its connection if its bodies are refused before their end', async () => {
  const body = 'x'.repeat(700_000);
  for (let count = 0; count < 20; count += 1) {
    const refused = await fetch(`${server?.url}/refused`, { method: 'POST', body });
    expect(refused.status).toBe(429);
    await refused.text();
  }
});
