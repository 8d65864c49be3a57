// The routes of operators with real services behind them.
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { postJson, useGateway } from '../testing/gateway-under-test.ts';
import { script } from '../testing/scripted.ts';

const gateway = useGateway();
const agent = 'http-operated';

beforeAll(async () => {
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
  await gateway.stack.client.agents.apply({ ...base, name: agent, input: ['pii'], output: ['pii'] });
});

async function startRun(text: string): Promise<string> {
  const response = await gateway.fetch(
    `/v1/agents/${agent}/runs?wait=20`,
    'key-ada',
    postJson({ input: script({ text }) }),
  );
  return z.object({ runId: z.string() }).parse(await response.json()).runId;
}

describe('GET /v1/runs/{run}/inspect', () => {
  test('An operator reads the checkpoints of a run, and its owner is refused', async () => {
    const runId = await startRun('Hello.');
    const inspected = await gateway.fetch(`/v1/runs/${runId}/inspect`, 'key-root');
    expect(inspected.status).toBe(200);
    expect(await inspected.json()).toMatchObject({ runId, status: 'finished', epoch: 1, saves: [] });
    expect((await gateway.fetch(`/v1/runs/${runId}/inspect`, 'key-ada')).status).toBe(403);
    expect((await gateway.fetch('/v1/runs/none/inspect', 'key-root')).status).toBe(404);
  });
});

describe('GET /v1/processors', () => {
  test('The list has options, stages and the load of each replica', async () => {
    await startRun('Hello.');
    const response = await gateway.fetch('/v1/processors', 'key-root');
    const { processors } = z
      .object({ processors: z.array(z.looseObject({ id: z.string() })) })
      .parse(await response.json());
    expect(processors.find(({ id }) => id === 'pii')).toMatchObject({
      stages: expect.arrayContaining(['processInput', 'processOutputStream']),
      optionsSchema: { type: 'object' },
      loads: [{ replica: expect.any(String), maxCalls: expect.any(Number), requests: expect.any(Number) }],
    });
    expect((await gateway.fetch('/v1/processors', 'key-ada')).status).toBe(403);
  });
});

describe('POST /v1/processors/{processor}/try', () => {
  const attempt = (key: string, processor: string, body: object) =>
    gateway.fetch(`/v1/processors/${processor}/try`, key, postJson(body));

  test('An operator sees the verdict and the changed text', async () => {
    const response = await attempt('key-root', 'pii', { text: 'My card is 4111 1111 1111 1111.' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ action: 'changed', texts: ['My card is [REDACTED].'] });
  });

  test.each([
    ['a caller', 'key-ada', 'pii', { text: 'x' }, 403],
    ['an operator whose key is limited to agents', 'key-single-operator', 'pii', { text: 'x' }, 403],
    ['an unknown processor', 'key-root', 'none', { text: 'x' }, 404],
    ['a name that is no token', 'key-root', 'a.b', { text: 'x' }, 404],
    ['invalid options', 'key-root', 'pii', { text: 'x', options: { nothing: 1 } }, 400],
    ['an unknown member', 'key-root', 'pii', { text: 'x', agent: 'demo' }, 400],
  ])('The gateway refuses %s', async (_name, key, processor, body, status) => {
    expect((await attempt(key, processor, body)).status).toBe(status);
  });
});

test.each(['/v1/status', '/v1/models/health', '/v1/processors', '/v1/runs/none/changes', '/v1/runs/none/inspect'])(
  'A caller without the scope operate is refused %s',
  async (path) => {
    expect((await gateway.fetch(path, 'key-ada')).status).toBe(403);
  },
);

test('GET /v1/models/health has the providers, without their keys and addresses', async () => {
  const response = await gateway.fetch('/v1/models/health', 'key-root');
  const text = await response.text();
  expect([response.status, JSON.parse(text)]).toMatchObject([
    200,
    { providers: expect.arrayContaining([expect.objectContaining({ name: 'openai', hasKey: true })]), omitted: 0 },
  ]);
  expect(text).not.toMatch(/http|127\.0\.0\.1/);
});

test('GET /v1/status names the orchestrator and the streams', async () => {
  const response = await gateway.fetch('/v1/status', 'key-root');
  expect(await response.json()).toMatchObject({
    orchestrator: expect.any(String),
    protocol: 2,
    streams: expect.arrayContaining([expect.objectContaining({ name: 'mr_v1_CHANGES' })]),
  });
});
