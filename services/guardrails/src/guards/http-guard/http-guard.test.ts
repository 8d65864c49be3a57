import type { JsonObject } from '@millrace/contracts';
import { catchStop, commonArgs, inputArgs, resultArgs, toolCallArgs, toolResultArgs } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGuardEndpoints, NO_ENDPOINTS } from '../../endpoints/guard-endpoints.ts';
import { makeEndpointConfig, startGuardServer } from '../../testing/guard-server.ts';
import { assistant, messageInParts, messageWithTool } from '../../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText } from '../../testing/stream-text.ts';
import { defineHttpGuard } from './http-guard.ts';

/** Starts a server that blocks texts with "vile" and replaces "Ada" by "A.". */
async function createGuard(options: JsonObject = {}, limits: { maxRequestBytes?: number } = {}) {
  const server = await startGuardServer();
  server.answer(({ body: { texts } }) => {
    if (texts.some((text) => text.includes('vile'))) return { action: 'block', reason: 'rude: vile', rule: 'rude' };
    if (!texts.some((text) => text.includes('Ada'))) return { action: 'allow' };
    return { action: 'replace', texts: texts.map((text) => text.replaceAll('Ada', 'A.')) };
  });
  const log = { warn: () => undefined, info: () => undefined };
  const endpoints = createGuardEndpoints(new Map([['acme', makeEndpointConfig(server.url, limits)]]), { log });
  onTestFinished(() => endpoints.close());
  const definition = defineHttpGuard(endpoints);
  const guard = definition.create(definition.options.parse({ endpoint: 'acme', ...options }));
  return { guard, server, listTexts: () => server.requests.map(({ body }) => body.texts) };
}

describe('messages of the caller', () => {
  test('all texts of all messages are one request, each text once', async () => {
    const { guard, server, listTexts } = await createGuard();
    const args = inputArgs([
      messageInParts('p', 'one', 'two'),
      messageWithTool('t', { a: 'two', n: 4111 }, 'three'),
      '  ',
    ]);
    await guard.processInput?.(args);
    expect(listTexts()).toEqual([['one', 'two', 'notes', 'a', 'n', '4111', 'three']]);
    expect(server.requests[0]?.body).toMatchObject({ stage: 'processInput', direction: 'request', entry: 'guard' });
    expect(args.messageList.takeOps()).toEqual([]);
  });
  test("a blocked request stops the run, and the endpoint's reason is for operators only", async () => {
    const { guard } = await createGuard();
    const args = inputArgs(['hello', 'vile words']);
    const stop = await catchStop(() => guard.processInput?.(args));
    expect(stop).toMatchObject({ type: 'abort', reason: 'An external guard blocked the text.' });
    expect(JSON.stringify(stop)).not.toContain('vile');
    expect(args.violations).toMatchObject([
      { rule: 'blocked', strategy: 'block', detail: { endpoint: 'acme', reason: 'rude: vile', rule: 'rude' } },
    ]);
    expect(args.violations.map(({ message }) => message).join('')).not.toContain('vile');
  });
  test('a response ends the run with that text', async () => {
    const { guard } = await createGuard({ response: 'No.' });
    expect(await catchStop(() => guard.processInput?.(inputArgs(['vile'])))).toMatchObject({ response: 'No.' });
  });
  test('replaced texts are written into the messages and reported', async () => {
    const { guard } = await createGuard();
    const args = inputArgs(['hello', messageInParts('p', 'I am Ada.', 'Ada again')]);
    await guard.processInput?.(args);
    expect(args.messageList.get.input.db().flatMap(({ content }) => content.parts)).toEqual([
      { type: 'text', text: 'hello' },
      { type: 'text', text: 'I am A..' },
      { type: 'text', text: 'A. again' },
    ]);
    expect(args.violations).toMatchObject([{ rule: 'replaced', count: 1 }]);
  });
  test('the strategy filter asks about each message and drops the blocked one', async () => {
    const { guard, listTexts } = await createGuard({ strategy: 'filter' });
    const args = inputArgs(['hello', 'vile words', 'Ada']);
    await guard.processInput?.(args);
    expect(listTexts().flat().toSorted()).toEqual(['Ada', 'hello', 'vile words']);
    const left = args.messageList.get.input.db();
    expect(left.map(({ id }) => id)).toEqual(['m0', 'm2']);
    expect(JSON.stringify(left)).not.toContain('Ada');
  });
  test('the strategy warn reports, and changes nothing', async () => {
    const { guard } = await createGuard({ strategy: 'warn' });
    const args = inputArgs(['Ada']);
    await guard.processInput?.(args);
    await guard.processInput?.({ ...args, ...inputArgs(['vile']), onViolation: args.onViolation });
    expect(args.violations.map(({ rule, strategy }) => [rule, strategy])).toEqual([
      ['replaced', 'warn'],
      ['blocked', 'warn'],
    ]);
    expect(args.messageList.takeOps()).toEqual([]);
  });
  test.each<[string, JsonObject, string[], string]>([
    ['a request above its size', { strategy: 'warn' }, ['x'.repeat(2_000)], 'too-long-for-an-endpoint'],
    [
      'too many requests',
      { strategy: 'filter' },
      Array.from({ length: 65 }, (_, at) => `m ${at}`),
      'too-many-endpoint-calls',
    ],
  ])('%s is blocked with any strategy and without a call', async (_, options, messages, rule) => {
    const { guard, listTexts } = await createGuard(options, { maxRequestBytes: 1_024 });
    expect(await catchStop(() => guard.processInput?.(inputArgs(messages)))).toMatchObject({
      metadata: { rules: [rule] },
    });
    expect(listTexts()).toEqual([]);
  });
  test('an endpoint that fails is a failure, not a pass', async () => {
    const { guard, server } = await createGuard({ strategy: 'warn' });
    server.answer((_, out) => void out.writeHead(500).end());
    await expect(async () => guard.processInput?.(inputArgs(['hello']))).rejects.toMatchObject({
      code: 'http-guard-failed',
    });
  });
});

describe('an answer', () => {
  test('a part is buffered, judged and replaced as a whole, and not judged again at the end', async () => {
    const { guard, listTexts } = await createGuard();
    const args = commonArgs();
    expect(await send(guard, deltaChunk('text', 'I am A'), args)).toEqual([]);
    expect(await send(guard, deltaChunk('text', 'da.'), args)).toEqual([]);
    expect(await send(guard, endChunk('text'), args)).toMatchObject([
      { payload: { text: 'I am A..' } },
      { type: 'text-end' },
    ]);
    await guard.processOutputResult?.(resultArgs([assistant('a1', 'I am A..')], { state: args.state }));
    expect(listTexts()).toEqual([['I am Ada.']]);
  });
  test('a blocked part stops the stream, or is removed with the strategy filter', async () => {
    const block = await createGuard();
    expect(await catchStop(() => streamText(block.guard, 'vile words', [3], 'text'))).toMatchObject({ type: 'abort' });
    const filter = await createGuard({ strategy: 'filter' });
    expect((await streamText(filter.guard, 'vile words', [3], 'reasoning')).passed).toEqual([]);
  });
  test('a part above the bound is blocked before it is complete', async () => {
    const { guard, listTexts } = await createGuard({ strategy: 'warn' });
    expect(await catchStop(() => streamText(guard, 'x'.repeat(70_000), [1_000], 'text'))).toMatchObject({
      metadata: { rules: ['too-long-for-an-endpoint'] },
    });
    expect(listTexts()).toEqual([]);
  });
  test('an answer that was not streamed is judged at the end', async () => {
    const { guard } = await createGuard();
    const args = resultArgs([assistant('a1', 'Ada')]);
    await guard.processOutputResult?.(args);
    expect(JSON.stringify(args.messageList.get.response.db())).toContain('A.');
    expect(await catchStop(() => guard.processOutputResult?.(resultArgs([assistant('a1', 'vile')])))).toMatchObject({
      type: 'abort',
    });
  });
});

describe('tool calls and results', () => {
  test('arguments are replaced, denied with filter, or stop the run', async () => {
    const { guard, server } = await createGuard();
    expect(await guard.processToolCall?.(toolCallArgs({ to: 'Ada' }))).toEqual({ args: { to: 'A.' } });
    expect(server.requests[0]?.body).toMatchObject({ stage: 'processToolCall', tool: 'notes' });
    expect(await guard.processToolCall?.(toolCallArgs({ to: 'Bob' }))).toBeUndefined();
    expect(await catchStop(() => guard.processToolCall?.(toolCallArgs('vile')))).toMatchObject({ type: 'abort' });
    const filter = await createGuard({ strategy: 'filter' });
    expect(await filter.guard.processToolCall?.(toolCallArgs('vile'))).toMatchObject({ deny: true, code: 'blocked' });
  });
  test('a result is replaced, or left out with filter', async () => {
    const { guard } = await createGuard({ strategy: 'filter' });
    expect(await guard.processToolResult?.(toolResultArgs({ by: 'Ada' }))).toEqual({ result: { by: 'A.' } });
    expect(await guard.processToolResult?.(toolResultArgs('vile'))).toEqual({
      result: '[tool result removed by a guard]',
    });
    expect(await guard.processToolResult?.(toolResultArgs({ Ada: 7 }))).toEqual({ result: { 'A.': 7 } });
    expect(await guard.processToolResult?.(toolResultArgs(7))).toBeUndefined();
  });
  test('places that `on` omits pass without a call', async () => {
    const { guard, listTexts } = await createGuard({ on: ['toolResult'] });
    await guard.processInput?.(inputArgs(['vile']));
    await guard.processToolCall?.(toolCallArgs('vile'));
    expect((await streamText(guard, 'vile', [4], 'text')).passed).toEqual(['vile']);
    await guard.processOutputResult?.(resultArgs([assistant('a1', 'vile')]));
    expect(listTexts()).toEqual([]);
  });
});

test.each<JsonObject>([{}, { endpoint: 'https://evil.example/' }, { endpoint: 'a', url: 'https://evil.example/' }])(
  'the guard rejects the options %j',
  (options) => expect(defineHttpGuard(NO_ENDPOINTS).options.safeParse(options).success).toBe(false),
);

test('without HTTP_GUARDS every call fails', async () => {
  const guard = defineHttpGuard(NO_ENDPOINTS).create({ endpoint: 'acme' });
  await expect(async () => guard.processInput?.(inputArgs(['hello']))).rejects.toMatchObject({
    code: 'options-invalid',
  });
});
