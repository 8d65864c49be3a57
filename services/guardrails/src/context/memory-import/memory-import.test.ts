import { buildTextMessage, type JsonObject, type Message } from '@millrace/contracts';
import { createEntryArgs } from '@millrace/processor';
import { callContext, callEntry, catchStop, inputArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { memoryImport } from './memory-import.ts';

function importInto(messages: (string | Message)[], options: object, context: JsonObject = {}) {
  const args = inputArgs(messages);
  const { common } = createEntryArgs(callEntry('memory-import'), callContext({ requestContext: context }), {
    writeFailed: () => undefined,
  });
  const processor = memoryImport.create(memoryImport.options.parse(options));
  void processor.processInput?.({ ...args, requestContext: common.requestContext });
  const replaced = args.messageList.takeOps().flatMap((op) => (op.op === 'replace' ? [op.message] : []));
  return { parts: replaced.flatMap(({ content }) => content.parts), replaced, violations: args.violations };
}
const texts = { returns: 'Within 30 days.', nested: 'See @memory:returns.' };

describe('references', () => {
  test('the text of the agent follows the message as a trusted part', () => {
    const { parts, violations } = importInto(['What about @memory:returns?'], { texts });
    expect(parts).toMatchObject([
      { type: 'text', text: 'What about @memory:returns?' },
      { text: '\n\nText of @memory:returns:\nWithin 30 days.', label: { trust: 'trusted' } },
    ]);
    expect(violations).toEqual([]);
  });
  test('an allowed value of the context is an untrusted part', () => {
    const { parts } = importInto(['@memory:cart'], { context: ['cart'] }, { cart: ['tea'], secret: 'x' });
    expect(parts[1]).toMatchObject({ text: '\n\nText of @memory:cart:\n["tea"]', label: { trust: 'untrusted' } });
  });
  test('a text of the agent has precedence over a value of the caller', () => {
    const { parts } = importInto(['@memory:returns'], { texts, context: ['returns'] }, { returns: 'Never.' });
    expect(parts[1]).toMatchObject({ text: expect.stringContaining('30 days') });
  });
  test('a text is imported once, and its own references are not resolved', () => {
    const { parts } = importInto(['@memory:nested, @memory:nested'], { texts });
    expect(parts).toHaveLength(2);
  });
  test('only the last message of the user is read', () => {
    const answer = buildTextMessage('a', 'assistant', '@memory:returns');
    expect(importInto(['@memory:returns', 'Thanks.', answer], { texts }).parts).toEqual([]);
  });
  test.each(['me@memory:returns', '@@memory:returns', '@memory:', '@memory: returns', `@memory:${'x'.repeat(65)}`])(
    '%j is no reference',
    (text) => expect(importInto([text], { texts, strategy: 'block' }).parts).toEqual([]),
  );
  test('a message with flat content keeps it', () => {
    const flat: Message = {
      ...buildTextMessage('m', 'user', ''),
      content: { format: 2, parts: [], content: 'About @memory:returns' },
    };
    expect(importInto([flat], { texts }).parts).toMatchObject([{ text: 'About @memory:returns' }, {}]);
  });
});

describe('references that cannot be resolved', () => {
  test.each([
    ['an unknown key', '@memory:other', {}, 'memory-unknown', 'does not exist'],
    ['a key that the options do not allow', '@memory:secret', {}, 'memory-unknown', 'does not exist'],
    ['a name of Object.prototype', '@memory:constructor', {}, 'memory-unknown', 'does not exist'],
    ['a long value', '@memory:cart', { maxLength: 3 }, 'memory-too-long', 'is too long'],
  ])('%s is reported by its name, and the reference stays', (_, text, more, rule, problem) => {
    const options = { texts, context: ['cart'], ...more };
    const { parts, violations } = importInto([text], options, { secret: 'x', cart: 'long' });
    expect(parts).toEqual([]);
    expect(violations).toMatchObject([{ rule, message: `The text of ${text} ${problem}.`, strategy: 'warn' }]);
  });
  test('texts above the maximum are reported by their names', () => {
    const { parts, violations } = importInto(['@memory:returns @memory:nested'], { texts, maxImports: 1 });
    expect(parts).toHaveLength(2);
    expect(violations).toMatchObject([{ rule: 'memory-too-many', detail: { keys: ['nested'] } }]);
  });
  test.each([
    [{}, { type: 'abort', reason: 'The text of @memory:other does not exist.' }],
    [{ response: 'Which text?' }, { type: 'halt', response: 'Which text?' }],
  ])('with the strategy block and %j the run stops', async (more, stop) => {
    const block = () => importInto(['@memory:other'], { strategy: 'block', ...more });
    expect(await catchStop(block)).toMatchObject(stop);
  });
});
