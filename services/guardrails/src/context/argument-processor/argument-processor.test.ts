import type { JsonObject, Message, SystemMessage } from '@millrace/contracts';
import { MessageList, createEntryArgs } from '@millrace/processor';
import { callContext, callEntry, catchStop, inputArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { argumentProcessor } from './argument-processor.ts';
import { fillPlaceholders } from './fill-placeholders.ts';

const trusted = { origin: 'instructions', trust: 'trusted' } as const;
const buildSystem = (content: string, tag = 'instructions'): SystemMessage => ({ tag, content, label: trusted });

type TestCase = {
  options?: object;
  context?: JsonObject;
  system?: SystemMessage[];
  guard?: (message: Message) => Message | undefined;
};

/** Calls both stages, with a guard in between. Returns the conversation that the model reads. */
function fill(instructions: string, { options = {}, context = {}, system = [], guard = (one) => one }: TestCase = {}) {
  const processor = argumentProcessor.create(argumentProcessor.options.parse(options));
  const messageList = new MessageList({ entries: [], system: [buildSystem(instructions), ...system] }, 'input');
  const { common } = createEntryArgs(callEntry('argument-processor'), callContext({ requestContext: context }), {
    writeFailed: () => undefined,
  });
  const args = { ...inputArgs([]), ...common, messages: [], messageList };
  void processor.processInput?.(args);
  for (const message of messageList.get.input.db()) {
    const passed = guard(message);
    if (passed) messageList.replace(passed);
    else messageList.removeByIds([message.id]);
  }
  const call = { model: 'openai/x', tools: {}, modelSettings: {}, providerOptions: {}, steps: [] };
  void processor.processInputStep?.({ ...args, ...call });
  return messageList.takeOps().flatMap((op) => (op.op === 'system-all' ? op.messages : []));
}
const plan = { options: { context: ['plan'], values: { plan: 'free' } } };

describe('placeholders', () => {
  test.each([
    ['{a} and {b}', 'one and two'],
    ['{a}{a}', 'oneone'],
    ['\\{a} and {a}', '{a} and one'],
    ['{"a": 1}, {}, { a }, {{a}}', '{"a": 1}, {}, { a }, {one}'],
    ['{recursive}', '{a}'],
    ['{dollars}', '$& $1'],
  ])('%j becomes %j', (text, filled) => {
    const values = { a: 'one', b: 'two', recursive: '{a}', dollars: '$& $1' };
    expect(fill(text, { options: { values } })).toMatchObject([{ content: filled, label: trusted }]);
  });
  test('only the instructions are changed', () => {
    const recalled = buildSystem('{a}', 'semantic-recall');
    const system = fill('{a}', { options: { values: { a: 'one' } }, system: [recalled] });
    expect(system).toMatchObject([{ content: 'one' }, { tag: 'semantic-recall', content: '{a}' }]);
  });
  test('names like those of Object.prototype have no value', async () => {
    const stop = await catchStop(() => fill('{constructor} {toString}', {}));
    expect(stop).toMatchObject({ type: 'abort', reason: expect.stringContaining('{constructor}, {toString}') });
  });
  test('an unknown placeholder stops the run with its name, or stays', async () => {
    const stop = await catchStop(() => fill('Hello {name}'));
    expect(stop).toMatchObject({
      reason: 'The instructions have placeholders without a value: {name}.',
      metadata: { rules: ['placeholder-unknown'] },
    });
    expect(fill('Hello {name}', { options: { unknown: 'keep' } })).toMatchObject([{ content: 'Hello {name}' }]);
  });
  test('a short text with many long values is refused before it is built', () => {
    const values = new Map([['a', { text: 'x'.repeat(10_000), isOutside: false }]]);
    const { text, isTooLong } = fillPlaceholders('{a}'.repeat(10_000), values);
    expect([isTooLong, text.length < 1_100_000]).toEqual([true, true]);
  });
});

describe('values of the caller', () => {
  test('a value of the context replaces the one of the options, and makes the instructions untrusted', () => {
    expect(fill('Plan: {plan}', { ...plan, context: { plan: 'pro' } })).toMatchObject([
      { content: 'Plan: pro', label: { trust: 'untrusted' } },
    ]);
    expect(fill('Plan: {plan}', plan)).toMatchObject([{ content: 'Plan: free', label: trusted }]);
  });
  test('a key that the options do not allow is no value', async () => {
    const stop = await catchStop(() => fill('{role}', { ...plan, context: { role: 'admin' } }));
    expect(stop).toMatchObject({ metadata: { rules: ['placeholder-unknown'] } });
  });
  test('the model reads the value in the instructions alone', () => {
    const system = fill('{plan}', { ...plan, context: { plan: 'pro' }, system: [buildSystem('pro', 'other')] });
    expect(system.map(({ tag, content }) => [tag, content])).toEqual([
      ['instructions', 'pro'],
      ['other', 'pro'],
    ]);
  });
  test('a guard after the entry redacts a value', () => {
    const guard = (message: Message): Message => ({
      ...message,
      content: {
        ...message.content,
        parts: [
          { type: 'text', text: 'x\n' },
          { type: 'text', text: '[mail]' },
        ],
      },
    });
    const options = { context: ['plan', 'mail'] };
    const context = { plan: 'pro', mail: 'ada@example.com' };
    expect(fill('{plan}, {mail}', { options, context, guard })).toMatchObject([{ content: 'x, [mail]' }]);
  });
  test('a value that a guard removes stops the run with its name', async () => {
    const stop = await catchStop(() => fill('{plan}', { ...plan, context: { plan: 'pro' }, guard: () => undefined }));
    expect(stop).toMatchObject({
      reason: expect.stringContaining('{plan}'),
      metadata: { rules: ['argument-removed'] },
    });
  });
  test('a value above `maxLength` stops the run with its name', async () => {
    const stop = await catchStop(() => fill('{plan}', { ...plan, context: { plan: 'x'.repeat(201) } }));
    expect(stop).toMatchObject({
      reason: expect.stringContaining('{plan}'),
      metadata: { rules: ['argument-too-long'] },
    });
  });
  test('values that are no texts are JSON', () => {
    expect(fill('{plan}', { ...plan, context: { plan: [1, true] } })).toMatchObject([{ content: '[1,true]' }]);
  });
});
