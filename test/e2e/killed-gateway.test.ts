// A gateway that is killed while clients of OpenAI's protocols wait: another one finishes the answer, and the agent runs once.
import { useNats, useRedis, useStack } from '@millrace/testkit';
import OpenAI from 'openai';
import { beforeAll, describe, expect, test } from 'vitest';
import { script } from './script.ts';

const nats = useNats();
const redis = useRedis();
const stack = useStack(nats, ['orchestrator', 'auth', 'gateway'], () => ({
  GATEWAY_PORT: '0',
  REDIS_URL: redis.urlAs('gateway'),
}));
const agent = 'over-http';

beforeAll(() =>
  stack.client.agents.apply({
    name: agent,
    model: 'openai/gpt-5-mini',
    instructions: 'Answer.',
    flushMs: 0,
    clientTools: true,
  }),
);

const listUrls = async (): Promise<string[]> =>
  [...(await stack.log('gateway')).matchAll(/"url":"(http[^"]+)"/g)].flatMap(([, url]) => url ?? []);
/** The gateway that was started last, and one that stays. */
async function listTwo(): Promise<{ first: string; second: string }> {
  const urls = await listUrls();
  return { first: urls.at(-1) ?? '', second: urls[0] ?? '' };
}
const createKey = async (subject: string) => stack.client.keys.create({ subject, scopes: ['run', 'read', 'answer'] });

async function killLast(): Promise<void> {
  const gateway = stack.pids().findLast(({ service }) => service === 'gateway');
  if (!gateway) throw new Error('no gateway runs');
  process.kill(gateway.pid, 'SIGKILL');
}

describe('a gateway that is killed after it has submitted a run', () => {
  const words = 'Once and only once, although the client has asked twice.';
  const said = script({ text: words, chunkSize: 2, delayMs: 60 });
  /** The unchanged client, whose repeated requests reach another gateway, as behind a load balancer. */
  const connect = (apiKey: string, first: string, second: string) => {
    const urls = [first];
    const choose = (url: unknown) => String(url).replace(first, urls.shift() ?? second);
    return new OpenAI({
      apiKey,
      baseURL: `${first}/v1`,
      maxRetries: 2,
      fetch: (url, init) => fetch(choose(url), init),
    });
  };
  const calls: [string, (client: OpenAI) => Promise<string | null | undefined>][] = [
    [
      'chat completions',
      async (client) => {
        const messages = [{ role: 'user' as const, content: said }];
        const answer = await client.chat.completions.create({ model: agent, messages });
        return answer.choices[0]?.message.content;
      },
    ],
    ['responses', async (client) => (await client.responses.create({ model: agent, input: said })).output_text],
  ];

  test.each(calls)('The openai client repeats its request of %s, and the agent runs once', async (name, call) => {
    await stack.start('gateway');
    const { first, second } = await listTwo();
    const subject = `retry-${name.split(' ')[0]}`;
    const { key } = await createKey(subject);
    const listRuns = async () => (await stack.client.runs.list({ subject })).runs;
    const answering = call(connect(key, first, second));
    await expect
      .poll(async () => (await listRuns()).map(({ status }) => status), { timeout: 10_000 })
      .toEqual(['running']);
    await killLast();
    expect(await answering).toBe(words);
    expect(await listRuns()).toMatchObject([{ status: 'finished' }]);
  });

  test('Another gateway finds the run that waits for the results of the client', async () => {
    await stack.start('gateway');
    const { first, second } = await listTwo();
    const { key } = await createKey('hal');
    const connectTo = (url: string) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const content = script({ text: 'Wait. ', toolCalls: [{ name: 'weather', args: {} }] }, { text: 'It rains.' });
    const request = {
      model: agent,
      tools: [{ type: 'function' as const, function: { name: 'weather' } }],
    };
    const question = { role: 'user' as const, content };
    const asked = await connectTo(first).chat.completions.create({ ...request, messages: [question] });
    const answer = asked.choices[0]?.message;
    const id = answer?.tool_calls?.[0]?.id ?? '';
    if (!answer) throw new Error('no answer');
    await killLast();
    const messages = [question, answer, { role: 'tool' as const, tool_call_id: id, content: 'rain' }];
    const next = await connectTo(second).chat.completions.create({ ...request, messages });
    expect(next.choices[0]?.message.content).toBe('It rains.');
    expect(next.id).toBe(asked.id);
  });
});
