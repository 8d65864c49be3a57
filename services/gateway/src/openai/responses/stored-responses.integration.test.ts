// Stored responses through the unchanged openai client: deletion, expiry, and the calls of the client's tools.
import { connectBus, openJetStream, readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { runHeadSchema, stateKeys } from '@millrace/contracts';
import OpenAI, { ConflictError, NotFoundError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { script } from '../../testing/scripted.ts';
import { postJson, useGateway } from '../../testing/gateway-under-test.ts';

const gateway = useGateway();
const agent = 'stored-responses';
let access: JetStreamAccess | undefined;

beforeAll(async () => {
  const definition = {
    name: agent,
    model: 'openai/gpt-5-mini',
    instructions: 'Answer.',
    flushMs: 0,
    clientTools: true,
  };
  await gateway.stack.client.agents.apply(definition);
  access = await openJetStream(await connectBus({ servers: gateway.stack.url, name: 'orchestrator' }));
});
afterAll(() => access?.bus.close());

const connect = (key = 'key-ada') => new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
const create = (input: string) => connect().responses.create({ model: agent, input });
const readRunId = (id: string) => id.replace('resp_', '');

const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'Reads the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
};
const callWeather = (city: string) => ({ name: 'weather', args: { city } });

async function expectAbsent(id: string): Promise<void> {
  const { responses } = connect();
  await expect(responses.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
  await expect(responses.retrieve(id, { stream: true })).rejects.toBeInstanceOf(NotFoundError);
  await expect(responses.cancel(id)).rejects.toBeInstanceOf(NotFoundError);
  await expect(responses.delete(id)).rejects.toBeInstanceOf(NotFoundError);
}

describe('a deleted response', () => {
  test('is unknown from then on, its chunks are gone, and other responses stay', async () => {
    const [{ id }, other] = [await create(script({ text: 'Delete me.' })), await create(script({ text: 'Stay.' }))];
    const response = await gateway.fetch(`/v1/responses/${id}`, 'key-ada', { method: 'DELETE' });
    expect(await response.json()).toEqual({ id, object: 'response', deleted: true });
    await expectAbsent(id);
    await expect(gateway.stack.client.runs.get(readRunId(id))).rejects.toMatchObject({ code: 'run-unknown' });
    expect(await countLogged(readRunId(id))).toBe(0);
    expect(await countLogged(readRunId(other.id))).toBeGreaterThan(0);
    expect(await connect().responses.retrieve(other.id)).toMatchObject({ output_text: 'Stay.' });
  });

  test('is deleted by its own caller only, with the scope run', async () => {
    const { id } = await create(script({ text: 'Mine.' }));
    await expect(connect('key-bob').responses.delete(id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(connect('key-single').responses.delete(id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(connect('key-reader').responses.delete(id)).rejects.toMatchObject({ status: 403 });
    expect(await connect().responses.retrieve(id)).toMatchObject({ output_text: 'Mine.' });
  });

  test('has ended before: an active response is a conflict, and one that waits for results is cancelled', async () => {
    const active = await connect().responses.create({
      model: agent,
      input: script({ text: 'x'.repeat(300), chunkSize: 1, delayMs: 50 }),
      stream: true,
    });
    const { value } = await active[Symbol.asyncIterator]().next();
    if (value?.type !== 'response.created') throw new Error('the stream does not begin with response.created');
    await expect(connect().responses.delete(value.response.id)).rejects.toBeInstanceOf(ConflictError);
    await connect().responses.cancel(value.response.id);
    await connect().responses.delete(value.response.id);
    await expectAbsent(value.response.id);
    const input = script({ toolCalls: [callWeather('Oslo')] }, { text: 'Never.' });
    const waiting = await connect().responses.create({ model: agent, input, tools: [weather] });
    await connect().responses.delete(waiting.id);
    await expectAbsent(waiting.id);
  });

  test('is unknown as previous_response_id too', async () => {
    const { id } = await create(script({ text: 'First.' }));
    const follow = () => connect().responses.create({ model: agent, input: 'Next.', previous_response_id: id });
    // The agent has no history, which is the error of a response that exists.
    await expect(follow()).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
    await connect().responses.delete(id);
    await expect(follow()).rejects.toBeInstanceOf(NotFoundError);
  });
});

test('A key without the scope read cancels a response, and receives its status alone', async () => {
  const { id } = await create(script({ text: 'Mine.' }));
  const { responses } = connect('key-runner');
  await expect(responses.retrieve(id)).rejects.toMatchObject({ status: 403 });
  const cancelled = await responses.cancel(id);
  expect(cancelled).toMatchObject({ id, status: 'completed', output: [], usage: null });
  expect(JSON.stringify(cancelled)).not.toContain('Mine.');
  expect(JSON.stringify(await connect().responses.cancel(id))).toContain('Mine.');
});

test('A response is stored for 24 hours, and unknown when its entry has expired', async () => {
  const { id } = await create(script({ text: 'For a day.' }));
  const { jsm, bus } = getAccess();
  const key = stateKeys.head('default', readRunId(id));
  const stored = await jsm.streams.getMessage(`KV_${bus.names.state}`, {
    last_by_subj: `$KV.${bus.names.state}.${key}`,
  });
  expect(stored?.header.get('Nats-TTL')).toBe(`${24 * 3_600}s`);
  const entry = await readEntry(getAccess(), bus.names.state, key, runHeadSchema);
  if (!entry) throw new Error('the run has no head');
  // The server expires the entry as it does after a day.
  await writeEntry(getAccess(), bus.names.state, key, entry.value, { expectedRevision: entry.revision, ttlSeconds: 1 });
  const read = async () => (await gateway.fetch(`/v1/responses/${id}`, 'key-ada')).status;
  expect(await read()).toBe(200);
  await expect.poll(read, { timeout: 10_000 }).toBe(404);
  await expectAbsent(id);
});

test('A stored response has the calls of the client as the first answer had them, then the text behind them', async () => {
  const input = script(
    { text: 'Wait. ', toolCalls: [callWeather('Oslo'), callWeather('Rome')] },
    { toolCalls: [callWeather('Bern')] },
    { text: 'Rain.' },
  );
  const give = ({ id, output }: OpenAI.Responses.Response) =>
    connect().responses.create({
      model: agent,
      previous_response_id: id,
      tools: [weather],
      input: output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'rain' }]
          : [],
      ),
    });
  const first = await connect().responses.create({ model: agent, input, tools: [weather] });
  expect((await connect().responses.retrieve(first.id)).output).toEqual(first.output);
  const second = await give(first);
  expect(second.output.map(({ type }) => type)).toEqual(['function_call']);
  await give(second);
  const { output, output_text: text } = await connect().responses.retrieve(first.id);
  expect(output.slice(0, 3)).toEqual(first.output);
  const ids = output.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
  const runId = readRunId(first.id);
  expect(ids).toEqual([0, 1, 2].map((number) => `call_${runId}_${number}`));
  expect(output.map(({ type }) => type)).toEqual([
    'message',
    'function_call',
    'function_call',
    'function_call',
    'message',
  ]);
  expect(text).toBe('Wait. Rain.');
  const streamed = await Array.fromAsync(await connect().responses.retrieve(first.id, { stream: true }));
  expect(streamed.at(-1)).toMatchObject({ type: 'response.completed', response: { output } });
});

function getAccess(): JetStreamAccess {
  if (!access) throw new Error('the test is connected only while it runs');
  return access;
}

async function countLogged(runId: string): Promise<number> {
  const { jsm, bus, chooseLogStream } = getAccess();
  const filter = bus.subjects.runLog('default', runId);
  const { state } = await jsm.streams.info(chooseLogStream('default', runId), { subjects_filter: filter });
  return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
}

test.each(['resp_x', '', '*', 'msg_a.b_0', 'msg_run-none_0'])(
  'A reference to the item "%s" that is not stored names it',
  async (id) => {
    const body = { model: agent, input: [{ type: 'item_reference', id }] };
    const response = await gateway.fetch('/v1/responses', 'key-ada', postJson(body));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining(`The item "${id}" is not stored.`), param: 'input' } },
    ]);
  },
);
