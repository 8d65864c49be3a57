// Tools of the client in chat completions, with the unchanged openai client and real services behind the gateway.
import OpenAI from 'openai';
import { zodFunction } from 'openai/helpers/zod';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { postJson, useGateway } from '../../testing/gateway-under-test.ts';
import { script, type ScriptElement } from '../../testing/scripted.ts';

const gateway = useGateway();
const open = 'tools-open';
const guarded = 'tools-guarded';
const closed = 'tools-closed';

beforeAll(async () => {
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
  const { agents } = gateway.stack.client;
  await agents.apply({ ...base, name: open, tools: ['calculator'], clientTools: true });
  const keyword = { use: 'keyword', options: { keywords: ['forbidden'] } };
  await agents.apply({ ...base, name: guarded, input: [keyword], output: [keyword], clientTools: ['weather'] });
  await agents.apply({ ...base, name: closed });
});

type Message = OpenAI.ChatCompletionMessageParam;
const connect = (key = 'key-ada') => new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 2 });
const weather: OpenAI.ChatCompletionFunctionTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Reads the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
};
const callWeather = (city: string) => ({ name: 'weather', args: { city } });
const user = (...said: ScriptElement[]): Message => ({ role: 'user', content: script(...said) });
const create = (model: string, messages: Message[], more: object = {}) =>
  connect().chat.completions.create({ model, messages, tools: [weather], ...more });
const status = async (id: string) => (await gateway.stack.client.runs.get(readRun(id))).status;
const readRun = (id: string) => id.replace(/^call_/, '').replace(/_\d+$/, '');

/** Returns the messages with the calls of the answer and a result for each. */
function answerCalls(messages: Message[], { choices }: OpenAI.ChatCompletion, results: string[]): Message[] {
  const message = choices[0]?.message;
  if (!message) throw new Error('no answer');
  const ids = (message.tool_calls ?? []).map(({ id }) => id);
  return [
    ...messages,
    message,
    ...ids.map((id, at) => ({ role: 'tool', tool_call_id: id, content: results[at] ?? '' }) as const),
  ];
}
const listIds = ({ choices }: OpenAI.ChatCompletion) => (choices[0]?.message.tool_calls ?? []).map(({ id }) => id);

describe('tools of the client', () => {
  test('Several calls are one answer, and the next request continues the run behind its text', async () => {
    const messages = [
      user(
        { text: 'Let me see. ', toolCalls: [callWeather('Oslo'), callWeather('Bergen')] },
        { text: 'Rain in both.' },
      ),
    ];
    const asked = await create(open, messages);
    expect(asked.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Let me see. ',
        tool_calls: [
          { type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          { type: 'function', function: { name: 'weather', arguments: '{"city":"Bergen"}' } },
        ],
      },
    });
    const [first = '', second = ''] = listIds(asked);
    expect([first, second]).toEqual([expect.stringMatching(/^call_.+_0$/), expect.stringMatching(/^call_.+_1$/)]);
    const { data, response } = await create(
      open,
      answerCalls(messages, asked, ['rain', '{"sky":"rain"}']),
    ).withResponse();
    expect(response.headers.get('x-millrace-run-id')).toBe(readRun(first));
    expect(data.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Rain in both.' } });
    const { result } = await gateway.stack.client.runs.get(readRun(first));
    expect(result?.steps[0]?.toolResults.map((one) => one.result)).toEqual(['rain', { sky: 'rain' }]);
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    expect(data.usage?.total_tokens).toBeLessThan(result?.usage.totalTokens ?? 0);
  });

  test('The stream has the calls in the order that the reader of the client expects', async () => {
    const messages = [
      user({ text: 'Wait.', toolCalls: [callWeather('Oslo'), callWeather('Rome')] }, { text: 'Sunny.' }),
    ];
    const stream = connect().chat.completions.stream({
      model: open,
      messages,
      tools: [weather],
      stream_options: { include_usage: true },
    });
    const done: unknown[] = [];
    stream.on('tool_calls.function.arguments.done', (event) => done.push([event.index, event.arguments]));
    const asked = await stream.finalChatCompletion();
    expect(done).toEqual([
      [0, '{"city":"Oslo"}'],
      [1, '{"city":"Rome"}'],
    ]);
    expect(asked.choices[0]?.finish_reason).toBe('tool_calls');
    expect(asked.usage?.total_tokens).toBeGreaterThan(0);
    const next = connect().chat.completions.stream({
      model: open,
      messages: answerCalls(messages, asked, ['rain', 'sun']),
      tools: [weather],
    });
    expect(await next.finalContent()).toBe('Sunny.');
  });

  test('The runner of the client calls its functions over several rounds', async () => {
    const cities: string[] = [];
    const tool = zodFunction({
      name: 'weather',
      parameters: z.object({ city: z.string() }),
      function: ({ city }) => `rain ${cities.push(city)}`,
    });
    const said = [{ toolCalls: [callWeather('Oslo')] }, { toolCalls: [callWeather('Rome')] }, { text: 'Both.' }];
    const runner = connect().chat.completions.runTools({
      model: open,
      messages: [user(...said)],
      tools: [tool],
      stream: true,
    });
    expect(await runner.finalContent()).toBe('Both.');
    expect(cities).toEqual(['Oslo', 'Rome']);
  });

  test('Own tools of the agent in the same answer are called and not shown', async () => {
    const sum = { name: 'calculator', args: { expression: '2 * 3' } };
    const messages = [user({ toolCalls: [sum, callWeather('Oslo')] }, { text: 'Six.' })];
    const asked = await create(open, messages);
    expect(asked.choices[0]?.message.tool_calls).toHaveLength(1);
    const next = await create(open, answerCalls(messages, asked, ['rain']));
    expect(next.choices[0]?.message.content).toBe('Six.');
  });
});

describe('a history that is not exactly the pending results', () => {
  test.each([
    ['a part of the results', (all: Message[]) => all.slice(0, -1)],
    ['a further message', (all: Message[]) => [...all, user({ text: 'Something else.' })]],
    ['no result', (all: Message[]) => [...all.slice(0, -2), user({ text: 'Something else.' })]],
  ])('with %s releases the run and starts a new one', async (_case, change) => {
    const messages = [user({ toolCalls: [callWeather('Oslo'), callWeather('Rome')] }, { text: 'Something else.' })];
    const asked = await create(open, messages);
    const [id = ''] = listIds(asked);
    const { data, response } = await create(open, change(answerCalls(messages, asked, ['rain', 'sun']))).withResponse();
    expect(data.choices[0]?.finish_reason).not.toBeNull();
    expect(response.headers.get('x-millrace-run-id')).not.toBe(readRun(id));
    expect(await status(id)).toBe('released');
  });

  test('of another subject is a new run, and the waiting run stays', async () => {
    const messages = [user({ toolCalls: [callWeather('Oslo')] }, { text: 'Mine.' })];
    const asked = await create(open, messages);
    const [id = ''] = listIds(asked);
    const body = { model: open, messages: answerCalls(messages, asked, ['rain']), tools: [weather] };
    const response = await gateway.fetch('/v1/chat/completions', 'key-bob', postJson(body));
    expect(response.headers.get('x-millrace-run-id')).not.toBe(readRun(id));
    expect(await status(id)).toBe('suspended');
  });

  test('after the end of the run is judged as input, results included', async () => {
    const messages = [user({ toolCalls: [callWeather('Oslo')] }, { text: 'Never.' })];
    const asked = await create(guarded, messages);
    await gateway.stack.client.runs.release(readRun(listIds(asked)[0] ?? ''));
    await expect(create(guarded, answerCalls(messages, asked, ['a forbidden result']))).rejects.toMatchObject({
      status: 400,
      code: 'content_policy_violation',
    });
    const passed = await create(guarded, answerCalls(messages, asked, ['rain']));
    expect(passed.choices[0]?.finish_reason).toBe('tool_calls');
  });
});

describe('refused tools', () => {
  test.each([
    ['an agent that takes none', closed, {}, { status: 400, param: 'tools' }],
    [
      'a name that the agent does not take',
      guarded,
      { tools: [{ type: 'function', function: { name: 'other' } }] },
      { status: 400, param: 'tools' },
    ],
    [
      'a name of the agent',
      open,
      { tools: [{ type: 'function', function: { name: 'calculator' } }] },
      { status: 400, param: 'tools' },
    ],
    [
      'tools of another type',
      open,
      { tools: [{ type: 'custom', custom: { name: 'a' } }] },
      { status: 400, param: 'tools[0].custom' },
    ],
    [
      'a choice without a tool',
      open,
      { tool_choice: { type: 'function', function: { name: 'none' } } },
      { status: 400, param: 'tool_choice' },
    ],
    [
      'more than 256 tools',
      open,
      { tools: Array.from({ length: 257 }, (_, at) => ({ type: 'function', function: { name: `t${at}` } })) },
      { status: 400, param: 'tools' },
    ],
  ])('The client receives an error for %s', async (_case, model, more, error) => {
    await expect(create(model, [user({ text: 'Never.' })], more)).rejects.toMatchObject(error);
  });

  test('A key without the scope answer may not send tools', async () => {
    const body = { model: open, messages: [user({ text: 'Never.' })], tools: [weather] };
    expect((await gateway.fetch('/v1/chat/completions', 'key-silent', postJson(body))).status).toBe(403);
  });

  test('A description, and a result, that the guards reject are blocked content', async () => {
    const bad = { ...weather, function: { ...weather.function, description: 'A forbidden thing.' } };
    await expect(create(guarded, [user({ text: 'Never.' })], { tools: [bad] })).rejects.toMatchObject({
      status: 400,
      code: 'content_policy_violation',
    });
    const messages = [user({ toolCalls: [callWeather('Oslo')] }, { text: 'Never.' })];
    const asked = await create(guarded, messages);
    await expect(create(guarded, answerCalls(messages, asked, ['a forbidden result']))).rejects.toMatchObject({
      status: 400,
      code: 'content_policy_violation',
    });
  });
});

describe('a repeated request with results', () => {
  async function prepareResults(messages: Message[]) {
    const asked = await create(open, messages);
    const [id = ''] = listIds(asked);
    return { id, body: { model: open, messages: answerCalls(messages, asked, ['rain']), tools: [weather] } };
  }
  const sendKeyed = (body: object, key: string, init: RequestInit = {}) =>
    gateway.fetch('/v1/chat/completions', 'key-ada', { ...postJson(body, { 'idempotency-key': key }), ...init });

  test('joins the run behind its calls, and the model is asked once', async () => {
    const messages = [
      user(
        { text: 'Before. ', toolCalls: [callWeather('Oslo')] },
        { text: 'After the call.', chunkSize: 3, delayMs: 20 },
      ),
    ];
    const { id, body } = await prepareResults(messages);
    const send = (count: string) =>
      gateway.fetch('/v1/chat/completions', 'key-ada', postJson(body, { 'x-stainless-retry-count': count }));
    const answers = [await (await send('0')).json(), await (await send('1')).json()];
    expect(answers).toMatchObject(answers.map(() => ({ choices: [{ message: { content: 'After the call.' } }] })));
    const events = await gateway.stack.client.runs.events(readRun(id));
    expect(events.filter(({ event }) => event === 'model')).toHaveLength(2);
  });

  test('with the same Idempotency-Key gets the same answer during and after the first one, and the model is asked once', async () => {
    const messages = [user({ toolCalls: [callWeather('Oslo')] }, { text: 'Once.', chunkSize: 1, delayMs: 50 })];
    const { id, body } = await prepareResults(messages);
    const send = async () => {
      const response = await sendKeyed(body, 'answered-results');
      return [response.headers.get('x-millrace-run-id'), await response.json()];
    };
    const first = send();
    await expect.poll(() => status(id), { timeout: 10_000 }).toBe('running');
    const answers = [...(await Promise.all([first, send()])), await send()];
    const once = { choices: [{ message: { content: 'Once.' } }] };
    expect(answers).toMatchObject(answers.map(() => [readRun(id), once]));
    const events = await gateway.stack.client.runs.events(readRun(id));
    expect(events.filter(({ event }) => event === 'model')).toHaveLength(2);
  });

  test('A client that disconnects while the run continues cancels it', async () => {
    const messages = [user({ toolCalls: [callWeather('Oslo')] }, { text: 'x'.repeat(500), chunkSize: 1, delayMs: 30 })];
    const { id, body } = await prepareResults(messages);
    const abort = new AbortController();
    const init = { ...postJson({ ...body, stream: true }), signal: abort.signal };
    await gateway.fetch('/v1/chat/completions', 'key-ada', init);
    abort.abort();
    await expect.poll(() => status(id), { timeout: 10_000 }).toBe('cancelled');
  });

  test('A client with an Idempotency-Key that disconnects gets the answer of the run with its next request', async () => {
    const text = 'x'.repeat(40);
    const messages = [user({ toolCalls: [callWeather('Oslo')] }, { text, chunkSize: 1, delayMs: 30 })];
    const { id, body } = await prepareResults(messages);
    const abort = new AbortController();
    const answering = sendKeyed(body, 'results-of-a-call', { signal: abort.signal }).catch(() => undefined);
    await expect.poll(() => status(id), { timeout: 10_000 }).toBe('running');
    abort.abort();
    expect(await answering).toBeUndefined();
    await expect.poll(() => status(id), { timeout: 10_000 }).toBe('finished');
    const repeated = await sendKeyed(body, 'results-of-a-call');
    expect(await repeated.json()).toMatchObject({ choices: [{ message: { content: text } }] });
  });
});
