// pii at the edges of a run: what tools get, what memories store, what is no answer of the model, and texts without end.
import { commonArgs, resultArgs, toolCallArgs } from '@millrace/testkit';
import { messageText, type Chunk, type JsonValue } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { assistant, finishChunk, toolCallChunk, toolResultChunk, withTool } from '../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText } from '../testing/stream-text.ts';
import { DENIED, pii } from './pii.ts';

const SECRET = 'ada@example.com';

describe('the end of a run', () => {
  test('the final answer is redacted, tool calls too', async () => {
    const args = resultArgs([assistant('a1', SECRET), withTool('a2', { to: SECRET }, { ssn: '123456789' })]);
    await pii.create({}).processOutputResult?.(args);
    const [answer, tool] = args.messageList.get.response.db();
    expect(answer && messageText(answer)).toBe('***@***.***');
    expect(JSON.stringify(tool)).toContain('{"to":"***@***.***"}');
    expect(JSON.stringify(tool)).toContain('{"ssn":"[REDACTED]"}');
  });
  test.each([
    [{}, 'My email is ***@***.***'],
    [{ strategy: 'filter' }, 'My email is '],
    [{ strategy: 'warn' }, `My email is ${SECRET}`],
  ])('the input that a memory stores is what was let through: %j', async (options, expected) => {
    const args = resultArgs([assistant('a1', 'Noted.')], { input: [`My email is ${SECRET}`] });
    await pii.create(options).processOutputResult?.(args);
    expect(args.messageList.get.input.db().map(messageText)).toEqual([expected]);
  });
  test('block does not stop an answer for what the user said', async () => {
    const args = resultArgs([assistant('a1', 'Noted.')], { input: [SECRET] });
    await pii.create({ strategy: 'block' }).processOutputResult?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
  });
});

test('a value is warned of once, in whichever stages and chunks it turns up', async () => {
  const processor = pii.create({ strategy: 'warn' });
  const args = resultArgs([assistant('a1', SECRET)], { input: [SECRET] });
  await streamText(processor, `${SECRET} and ${SECRET}.`, [4], 'text', { args });
  await send(processor, finishChunk(SECRET), args);
  await processor.processOutputResult?.(args);
  expect(args.violations).toMatchObject([{ rule: 'email', count: 1 }]);
});

describe('toolArguments', () => {
  const args = { to: SECRET, n: 4111111111111111 };
  const streamed = async (options: object) =>
    (await streamText(pii.create(options), JSON.stringify(args), [5], 'tool')).passed.join('');
  const callArgs = async (options: object, common = commonArgs()) => {
    const [passed] = await send(pii.create(options), toolCallChunk(args), common);
    return passed?.type === 'tool-call' ? passed.payload.args : undefined;
  };
  const judged = (options: object, toolArgs: JsonValue, common = commonArgs()) =>
    pii.create(options).processToolCall?.(toolCallArgs(toolArgs, common));

  test('redact marks what the client and the tool get, in JSON', async () => {
    const expected = { to: '***@***.***', n: '[REDACTED]' };
    expect(await callArgs({})).toEqual(expected);
    expect(JSON.parse(await streamed({}))).toEqual(expected);
    expect(await judged({}, args)).toBeUndefined();
  });
  test('keep gives the values to client and tool, and judges what is kept of them', async () => {
    const options = { toolArguments: 'keep' };
    expect(await callArgs(options)).toEqual(args);
    expect(JSON.parse(await streamed(options))).toEqual(args);
    const [result] = await send(pii.create(options), toolResultChunk(SECRET), commonArgs());
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
  test('deny marks what the client gets, and denies the call that the tool would have got', async () => {
    const common = commonArgs();
    const options = { toolArguments: 'deny' };
    const marked = await callArgs(options, common);
    expect(marked).toEqual({ to: '***@***.***', n: '[REDACTED]' });
    expect(await judged(options, marked ?? null, common)).toEqual({
      deny: true,
      reason: DENIED,
      code: 'personal-data',
    });
    expect(await judged(options, args)).toMatchObject({ deny: true });
    expect(await judged(options, { q: 'weather' })).toBeUndefined();
  });
});

describe('what is no answer of the model', () => {
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

  test.each([denied, custom, error, tripwire, source, file])('is judged: $type', async (chunk) => {
    const [passed] = await send(pii.create({}), chunk, commonArgs());
    expect(passed?.type).toBe(chunk.type);
    expect(JSON.stringify(passed)).not.toContain(SECRET);
    expect(JSON.stringify(passed)).not.toContain('123456789');
  });
  test.each([error, tripwire, finishChunk(SECRET)])(
    'filter drops no $type, only what was found in it',
    async (chunk) => {
      const [passed] = await send(pii.create({ strategy: 'filter' }), chunk, commonArgs());
      expect(passed?.type).toBe(chunk.type);
      expect(JSON.stringify(passed)).not.toContain(SECRET);
    },
  );
  test('custom chunks are asked for', () => expect(pii.processDataParts).toBe(true));
});

test.each(['redact', 'filter', 'warn', 'block'])(
  'with %s a part that was cut off lets go nothing undecided',
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
