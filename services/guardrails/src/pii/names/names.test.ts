import { messageText, type Chunk, type JsonObject } from '@millrace/contracts';
import { commonArgs, inputArgs, resultArgs, stopOf } from '@millrace/testkit';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { judgedText, useJudgingProvider } from '../../testing/judging-provider.ts';
import { assistant, withTool } from '../../testing/messages.ts';
import { deltaChunk, send, streamText } from '../../testing/stream-text.ts';
import { piiWith } from '../pii.ts';
import { createNameFinder } from './find-names.ts';
import { mayHoldNames } from './name-doubt.ts';

const judging = useJudgingProvider();
const NAMES = ['Ada Lovelace', 'Ann'];
const ADDRESS = '12 Baker Street, London';
/** Lists the names and the address above where they stand in the text, whole. */
beforeEach(() => {
  judging.provider.requests.length = 0;
  judging.provider.answer((request) => listed(judgedText(request)));
});
const listed = (text: string) => ({
  found: [
    ...NAMES.filter((name) => text.includes(name)).map((value) => ({ type: 'name', value })),
    ...(text.includes(ADDRESS) ? [{ type: 'address', value: ADDRESS }] : []),
  ],
});
const asked = () => judging.provider.requests.map(judgedText);
const pii = (options: JsonObject = {}) => {
  const definition = piiWith(judging.models);
  return definition.create(definition.options.parse({ model: 'openai-chat/judge', ...options }));
};
const textsOf = (args: ReturnType<typeof inputArgs>) => args.messageList.get.input.db().map(messageText);

describe('the caller’s messages', () => {
  test('lose names and addresses, beside what the rules find', async () => {
    const args = inputArgs([`I am Ada Lovelace, ada@example.com, ${ADDRESS}.`, 'what is 1 + 1?']);
    await pii().processInput?.(args);
    expect(textsOf(args)).toEqual(['I am [REDACTED], ***@***.***, [REDACTED].', 'what is 1 + 1?']);
    expect(args.violations.map(({ rule }) => rule)).toEqual(['email', 'name', 'address']);
    expect(JSON.stringify(args.violations)).not.toContain('Ada');
  });
  test('are shown to the model as the rules have left them, and only where they may hold a name', async () => {
    await pii().processInput?.(inputArgs(['Mail Bob at bob@example.com', 'it is nine o’clock']));
    expect(asked()).toEqual(['Mail Bob at ***@***.***']);
    await pii({ when: 'always' }).processInput?.(inputArgs(['it is nine o’clock']));
    expect(asked()).toHaveLength(2);
  });
  test.each([
    [{ method: 'placeholder' }, '[NAME_1] met [NAME_2] and [NAME_1].'],
    [{ modelTypes: ['address'] }, '[REDACTED] met [REDACTED] and [REDACTED].'],
    [{ allow: ['ANN'] }, '[REDACTED] met Ann and [REDACTED].'],
    [{ strategy: 'warn' }, 'Ada Lovelace met Ann and Ada Lovelace.'],
  ])('with %j become %s', async (options, expected) => {
    const args = inputArgs(['Ada Lovelace met Ann and Ada Lovelace.']);
    await pii(options).processInput?.(args);
    expect(textsOf(args)).toEqual([expected]);
  });
  test('stop the run with strategy block, and go with strategy filter', async () => {
    expect(await stopOf(() => pii({ strategy: 'block' }).processInput?.(inputArgs(['I am Ann.'])))).toMatchObject({
      reason: 'Personal data: name.',
    });
    const args = inputArgs(['I am Ann.', 'hello']);
    await pii({ strategy: 'filter' }).processInput?.(args);
    expect(textsOf(args)).toEqual(['hello']);
  });
  test('are judged with what tools were given and gave back', async () => {
    const args = inputArgs([withTool('t', { to: 'Ada Lovelace' }, ['Ann'])]);
    await pii().processInput?.(args);
    expect(JSON.stringify(args.messageList.get.input.db())).not.toMatch(/Ada|Ann/);
  });
});

describe('the stream', () => {
  const prose = 'Plain words of no harm at all. '.repeat(7).slice(0, 194).concat(' ');
  const text = `${prose}Ada Lovelace lives at ${ADDRESS}. ${prose}Ann.`;
  const expected = `${prose}[REDACTED] lives at [REDACTED]. ${prose}[REDACTED].`;
  test('comes to the same whatever its chunks are, and a name on two windows is found', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }), async (sizes) => {
        expect((await streamText(pii(), text, sizes, 'text')).passed.join('')).toBe(expected);
      }),
      { seed: 4, numRuns: 8 },
    );
  });
  test('asks once for each window, and not again at the end', async () => {
    const processor = pii({ when: 'always' });
    const { args } = await streamText(processor, text, [11], 'text');
    const calls = asked().length;
    expect(calls).toBe(2);
    await processor.processOutputResult?.(resultArgs([assistant('a', expected)], { state: args.state }));
    expect(asked()).toHaveLength(calls);
  });
  test('holds back no more than a window and what follows it', async () => {
    const args = commonArgs();
    const processor = pii();
    const out: Chunk[] = [];
    for (const one of 'word '.repeat(60).split('')) out.push(...(await send(processor, deltaChunk('text', one), args)));
    expect(out).toHaveLength(1);
  });
  test('leaves tool arguments to the rules', async () => {
    expect((await streamText(pii(), '{"to":"Ann"} ', [3], 'tool')).passed.join('')).toBe('{"to":"Ann"} ');
  });
});

test('an answer that no stream has shown is judged', async () => {
  const args = resultArgs([assistant('a', 'Ann said so.')]);
  await pii().processOutputResult?.(args);
  expect(args.messageList.get.response.db().map(messageText)).toEqual(['[REDACTED] said so.']);
});

describe('what a model lists', () => {
  const values = (...found: string[]) => ({ found: found.map((value) => ({ type: 'name' as const, value })) });
  test.each([
    ['is found wherever it stands', values('Ann'), 'Ann, Ann', [0, 5]],
    ['is found as a whole word', values('Ann'), 'Annual, Hannah', []],
    ['is found by the longest', values('Ann', 'Ann Lee'), 'Ann Lee, Ann Leena', [0, 9]],
    ['is found as it is, whatever signs it has', values('A. (Bo) [x]'), 'by A. (Bo) [x].', [3]],
    ['is found in a script without spaces', values('田中'), '私は田中です', [2]],
    ['is ignored where it does not stand there', values('Bob'), 'Ann', []],
    ['is ignored where it is a letter, a number or a mark', values('A', '12', '[REDACTED]'), 'A 12 [REDACTED]', []],
  ])('%s', (_, answer, text, starts) =>
    expect(createNameFinder(answer, [])(text).map(({ start }) => start)).toEqual(starts),
  );
});

describe('a text', () => {
  test.each([
    'I met Ada yesterday',
    'Ada Lovelace wrote',
    'my name is ada',
    '田中です',
    'Ich wohne hier',
    'He lives at 12 baker street',
    'Ann said so',
  ])('may hold a name: %s', (text) => expect(mayHoldNames(text)).toBe(true));
  test.each(['what is 1 + 1?', 'Hello. How is it?', '{"a": 1}', ''])('holds none: %s', (text) =>
    expect(mayHoldNames(text)).toBe(false),
  );
});
