import { commonArgs, inputArgs, resultArgs, catchStop, toolResultArgs } from '@millrace/testkit';
import { readMessageText } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { assistant, toolCallChunk } from '../../testing/messages.ts';
import { send } from '../../testing/stream-text.ts';
import { LEFT_OUT, secrets } from './secrets.ts';

const GITHUB = ['gh', 'p_'].join('');
const KEY = `${GITHUB}Q7xLmZ2pR9vTk4WsY1nB8cHd6FgJ3eUaQ7xL`;

test('secrets redacts the input and reports the provider as detail and the value nowhere', async () => {
  const args = inputArgs([`use ${KEY}`]);
  await secrets.create({}).processInput?.(args);
  expect(args.messageList.get.input.db().map(readMessageText)).toEqual(['use [REDACTED]']);
  expect(args.violations).toMatchObject([
    { rule: 'provider-key', count: 1, detail: { hits: [{ provider: 'github', start: 4 }] } },
  ]);
  expect(JSON.stringify(args.violations)).not.toContain(KEY);
});
test('block aborts', async () => {
  const stop = await catchStop(() => secrets.create({ strategy: 'block' }).processInput?.(inputArgs([KEY])));
  expect(stop).toMatchObject({ type: 'abort', reason: 'A secret: provider-key.' });
});
test('secrets redacts tool results by their names at any depth', async () => {
  const result = {
    db: { userPassword: 'hunter2', user: 'ada' },
    api: { clientSecret: '8f14e45fceea167a' },
    max_tokens: 4096,
  };
  expect(await secrets.create({}).processToolResult?.(toolResultArgs(result))).toEqual({
    result: { db: { userPassword: '[REDACTED]', user: 'ada' }, api: { clientSecret: '[REDACTED]' }, max_tokens: 4096 },
  });
  const left = await secrets.create({ strategy: 'filter' }).processToolResult?.(toolResultArgs(result));
  expect(left).toEqual({ result: LEFT_OUT });
});
test('secrets redacts the final answer and the stored input', async () => {
  const args = resultArgs([assistant('a1', `It is ${KEY}.`)], { input: [KEY] });
  await secrets.create({}).processOutputResult?.(args);
  expect(args.messageList.get.response.db().map(readMessageText)).toEqual(['It is [REDACTED].']);
  expect(args.messageList.get.input.db().map(readMessageText)).toEqual(['[REDACTED]']);
});

describe('options of secrets', () => {
  const passText = async (options: object, text: string) => {
    const args = inputArgs([text]);
    await secrets.create(options).processInput?.(args);
    return args.messageList.get.input.db().map(readMessageText).join('');
  };
  test('rules restricts the detected kinds', async () => {
    expect(await passText({ rules: ['named-secret'] }, `${KEY} password: hunter2`)).toBe(`${KEY} password: [REDACTED]`);
  });
  test('minEntropy sets the threshold for values under any name', async () => {
    const text = 'blob: Q7xLmZ2pR9vTk4WsY1nB8cHd6FgJ3eUa';
    expect(await passText({}, text)).toBe('blob: [REDACTED]');
    expect(await passText({ minEntropy: 5.5 }, text)).toBe(text);
    expect(await passText({ minEntropy: 0 }, text)).toBe(text);
  });
  test('allow passes values', async () => expect(await passText({ allow: [KEY] }, KEY)).toBe(KEY));
  test('toolArguments keep passes the value to the tool', async () => {
    const [kept] = await send(secrets.create({ toolArguments: 'keep' }), toolCallChunk({ token: KEY }), commonArgs());
    expect(JSON.stringify(kept)).toContain(KEY);
    const [marked] = await send(secrets.create({}), toolCallChunk({ token: KEY }), commonArgs());
    expect(JSON.stringify(marked)).not.toContain(KEY);
  });
  test.each([{ minEntropy: -1 }, { rules: [] }, { rules: ['x'] }, { entropy: 3 }])('secrets rejects %j', (options) =>
    expect(secrets.options.safeParse(options).success).toBe(false),
  );
});
