// Tests pii at the edges of a run: tool arguments, stored input, chunks that are not from the model, and unfinished
// texts.
import { commonArgs, resultArgs, toolCallArgs } from '@millrace/testkit';
import { readMessageText, type Chunk, type JsonValue } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { assistant, finishChunk, toolCallChunk, toolResultChunk, messageWithTool } from '../../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText } from '../../testing/stream-text.ts';
import { DENIED, pii } from './pii.ts';

const SECRET = 'ada@example.com';

describe('the end of a run', () => {
  test('pii redacts the final answer with its tool calls', async () => {
    const args = resultArgs([assistant('a1', SECRET), messageWithTool('a2', { to: SECRET }, { ssn: '123456789' })]);
    await pii.create({}).processOutputResult?.(args);
    const [answer, tool] = args.messageList.get.response.db();
    expect(answer && readMessageText(answer)).toBe('***@***.***');
    expect(JSON.stringify(tool)).toContain('{"to":"***@***.***"}');
    expect(JSON.stringify(tool)).toContain('{"ssn":"[REDACTED]"}');
  });
  test.each([
    [{}, 'My email is ***@***.***'],
    [{ strategy: 'filter' }, 'My email is '],
    [{ strategy: 'warn' }, `My email is ${SECRET}`],
  ])('a memory stores the redacted input: %j', async (options, expected) => {
    const args = resultArgs([assistant('a1', 'Noted.')], { input: [`My email is ${SECRET}`] });
    await pii.create(options).processOutputResult?.(args);
    expect(args.messageList.get.input.db().map(readMessageText)).toEqual([expected]);
  });
  test("block does not stop an answer because of the user's input", async () => {
    const args = resultArgs([assistant('a1', 'Noted.')], { input: [SECRET] });
    await pii.create({ strategy: 'block' }).processOutputResult?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
  });
});

test('the strategy warn reports a value once over all stages and chunks', async () => {
  const processor = pii.create({ strategy: 'warn' });
  const args = resultArgs([assistant('a1', SECRET)], { input: [SECRET] });
  await streamText(processor, `${SECRET} and ${SECRET}.`, [4], 'text', { args });
  await send(processor, finishChunk(SECRET), args);
  await processor.processOutputResult?.(args);
  expect(args.violations).toMatchObject([{ rule: 'email', count: 1 }]);
});

describe('the option toolArguments', () => {
  const args = { to: SECRET, card: 4111111111111111 };
  const streamAnswer = async (options: object) =>
    (await streamText(pii.create(options), JSON.stringify(args), [5], 'tool')).passed.join('');
  const callArgs = async (options: object, common = commonArgs()) => {
    const [passed] = await send(pii.create(options), toolCallChunk(args), common);
    return passed?.type === 'tool-call' ? passed.payload.args : undefined;
  };
  const judgeArgs = (options: object, toolArgs: JsonValue, common = commonArgs()) =>
    pii.create(options).processToolCall?.(toolCallArgs(toolArgs, common));

  test('redact marks the arguments for client and tool, in JSON', async () => {
    const expected = { to: '***@***.***', card: '[REDACTED]' };
    expect(await callArgs({})).toEqual(expected);
    expect(JSON.parse(await streamAnswer({}))).toEqual(expected);
    expect(await judgeArgs({}, args)).toBeUndefined();
  });
  test('keep passes the values to client and tool and judges the stored ones', async () => {
    const options = { toolArguments: 'keep' };
    expect(await callArgs(options)).toEqual(args);
    expect(JSON.parse(await streamAnswer(options))).toEqual(args);
    const [result] = await send(pii.create(options), toolResultChunk(SECRET), commonArgs());
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
  test('deny marks the arguments for the client and denies the tool call', async () => {
    const common = commonArgs();
    const options = { toolArguments: 'deny' };
    const marked = await callArgs(options, common);
    expect(marked).toEqual({ to: '***@***.***', card: '[REDACTED]' });
    expect(await judgeArgs(options, marked ?? null, common)).toEqual({
      deny: true,
      reason: DENIED,
      code: 'personal-data',
    });
    expect(await judgeArgs(options, args)).toMatchObject({ deny: true });
    expect(await judgeArgs(options, { q: 'weather' })).toBeUndefined();
  });
});

describe('chunks from other sources', () => {
  const base = { runId: 'r1', from: 'AGENT' as const };
  const denied: Chunk = {
    ...base,
    type: 'tool-output-denied',
    payload: { toolCallId: 'c1', toolName: 'notes', reason: `not for ${SECRET}` },
  };
  const custom: Chunk = JSON.parse(
    JSON.stringify({ ...base, type: 'data-note', data: { mail: SECRET, ssn: '123456789' } }),
  );
  const error: Chunk = { ...base, type: 'error', payload: { error: { message: `no ${SECRET}` } } };
  const tripwire: Chunk = { ...base, type: 'tripwire', payload: { reason: `no ${SECRET}` } };
  const source: Chunk = {
    ...base,
    type: 'source',
    payload: { id: 's', sourceType: 'url', title: SECRET, url: 'https://x' },
  };
  const file: Chunk = {
    ...base,
    type: 'file',
    payload: { data: '', mimeType: 'text/plain', filename: `${SECRET}.txt` },
  };

  test.each([denied, custom, error, tripwire, source, file])('pii judges $type', async (chunk) => {
    const [passed] = await send(pii.create({}), chunk, commonArgs());
    expect(passed?.type).toBe(chunk.type);
    expect(JSON.stringify(passed)).not.toContain(SECRET);
    expect(JSON.stringify(passed)).not.toContain('123456789');
  });
  test.each([error, tripwire, finishChunk(SECRET)])(
    'filter removes the finding from $type and keeps the chunk',
    async (chunk) => {
      const [passed] = await send(pii.create({ strategy: 'filter' }), chunk, commonArgs());
      expect(passed?.type).toBe(chunk.type);
      expect(JSON.stringify(passed)).not.toContain(SECRET);
    },
  );
  test('pii requests custom chunks', () => expect(pii.processDataParts).toBe(true));
});

test.each(['redact', 'filter', 'warn', 'block'])(
  'the strategy %s drops the undecided rest of a part that was cut off',
  async (strategy) => {
    const processor = pii.create({ strategy });
    const args = commonArgs();
    const passed = [...(await send(processor, deltaChunk('text', 'card 4111 1111 11'), args))];
    const end = endChunk('text');
    if (end.type === 'text-end') end.payload.complete = false;
    passed.push(...(await send(processor, end, args)));
    expect(JSON.stringify(passed)).not.toContain('4111');
  },
);
