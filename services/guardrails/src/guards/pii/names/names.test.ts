import { readMessageText, type Chunk, type JsonObject } from '@millrace/contracts';
import { commonArgs, inputArgs, resultArgs, catchStop } from '@millrace/testkit';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { readJudgedText, useJudgingProvider } from '../../../testing/judging-provider.ts';
import { assistant, messageWithTool } from '../../../testing/messages.ts';
import { deltaChunk, send, streamText } from '../../../testing/stream-text.ts';
import { definePii } from '../pii.ts';
import { createNameFinder } from './find-names.ts';
import { mayHoldNames } from './name-guard.ts';

const judging = useJudgingProvider();
const NAMES = ['Ada Lovelace', 'Ann'];
const ADDRESS = '12 Baker Street, London';
/** Lists the names and the address above if the text contains them. */
beforeEach(() => {
  judging.provider.requests.length = 0;
  judging.provider.answer((request) => listNames(readJudgedText(request)));
});
const listNames = (text: string) => ({
  found: [
    ...NAMES.filter((name) => text.includes(name)).map((value) => ({ type: 'name', value })),
    ...(text.includes(ADDRESS) ? [{ type: 'address', value: ADDRESS }] : []),
  ],
});
const listJudgedTexts = () => judging.provider.requests.map(readJudgedText);
const pii = (options: JsonObject = {}) => {
  const definition = definePii(judging.models);
  return definition.create(definition.options.parse({ model: 'openai-chat/judge', ...options }));
};
const listInputTexts = (args: ReturnType<typeof inputArgs>) => args.messageList.get.input.db().map(readMessageText);

describe('a model that is away', () => {
  const skippable = <A extends object>(args: A) => ({ ...args, skippable: true as const });
  beforeEach(() => judging.provider.answer(() => 'no answer'));
  const CARD = 'I am Ada Lovelace, my card is 4111 1111 1111 1111.';
  const MASKED = 'I am Ada Lovelace, my card is [REDACTED].';

  test('fails the call, unless the failure would skip the findings of the rules', async () => {
    await expect(async () => pii().processInput?.(inputArgs([CARD]))).rejects.toMatchObject({
      code: 'extraction-failed',
    });
    const args = skippable(inputArgs([CARD]));
    await pii().processInput?.(args);
    expect(listInputTexts(args)).toEqual([MASKED]);
    expect(args.violations.map(({ rule }) => rule)).toEqual(['card', 'model-unavailable']);
  });

  test('is asked once in a stream, and the rules still mask its values', async () => {
    const text = `${CARD} `.repeat(20);
    const args = skippable(commonArgs());
    const { passed } = await streamText(pii(), text, [100], 'text', { args });
    expect(passed.join('')).not.toContain('4111');
    expect(passed.join('')).toContain('Ada Lovelace');
    expect(args.violations.filter(({ rule }) => rule === 'model-unavailable')).toHaveLength(1);
  });

  test('leaves the findings of the rules in the answer of a run', async () => {
    const args = skippable(resultArgs([assistant('a', CARD)]));
    await pii().processOutputResult?.(args);
    expect(args.messageList.get.response.db().map(readMessageText)).toEqual([MASKED]);
  });
});

describe('messages of the caller', () => {
  test("pii replaces names and addresses in addition to the rules' findings", async () => {
    const args = inputArgs([`I am Ada Lovelace, ada@example.com, ${ADDRESS}.`, 'what is 1 + 1?']);
    await pii().processInput?.(args);
    expect(listInputTexts(args)).toEqual(['I am [REDACTED], ***@***.***, [REDACTED].', 'what is 1 + 1?']);
    expect(args.violations.map(({ rule }) => rule)).toEqual(['email', 'name', 'address']);
    expect(JSON.stringify(args.violations)).not.toContain('Ada');
  });
  test('the model receives redacted messages, and only those that may contain a name', async () => {
    await pii().processInput?.(inputArgs(['Mail Bob at bob@example.com', 'it is nine o’clock']));
    expect(listJudgedTexts()).toEqual(['Mail Bob at ***@***.***']);
    await pii({ when: 'always' }).processInput?.(inputArgs(['it is nine o’clock']));
    expect(listJudgedTexts()).toHaveLength(2);
  });
  test.each([
    [{ method: 'placeholder' }, '[NAME_1] met [NAME_2] and [NAME_1].'],
    [{ modelTypes: ['address'] }, '[REDACTED] met [REDACTED] and [REDACTED].'],
    [{ allow: ['ANN'] }, '[REDACTED] met Ann and [REDACTED].'],
    [{ strategy: 'warn' }, 'Ada Lovelace met Ann and Ada Lovelace.'],
  ])('the options %j produce %s', async (options, expected) => {
    const args = inputArgs(['Ada Lovelace met Ann and Ada Lovelace.']);
    await pii(options).processInput?.(args);
    expect(listInputTexts(args)).toEqual([expected]);
  });
  test('the strategy block stops the run, and filter drops the message', async () => {
    expect(await catchStop(() => pii({ strategy: 'block' }).processInput?.(inputArgs(['I am Ann.'])))).toMatchObject({
      reason: 'Personal data: name.',
    });
    const args = inputArgs(['I am Ann.', 'hello']);
    await pii({ strategy: 'filter' }).processInput?.(args);
    expect(listInputTexts(args)).toEqual(['hello']);
  });
  test('pii judges arguments and results of tools in the input', async () => {
    const args = inputArgs([messageWithTool('t', { to: 'Ada Lovelace' }, ['Ann'])]);
    await pii().processInput?.(args);
    expect(JSON.stringify(args.messageList.get.input.db())).not.toMatch(/Ada|Ann/);
  });
});

describe('the stream of an answer', () => {
  const prose = 'Plain words of no harm at all. '.repeat(7).slice(0, 194).concat(' ');
  const text = `${prose}Ada Lovelace lives at ${ADDRESS}. ${prose}Ann.`;
  const expected = `${prose}[REDACTED] lives at [REDACTED]. ${prose}[REDACTED].`;
  test('the result is the same in every chunking, and a name across two windows is found', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }), async (sizes) => {
        expect((await streamText(pii(), text, sizes, 'text')).passed.join('')).toBe(expected);
      }),
      { seed: 4, numRuns: 8 },
    );
  });
  test('pii calls the model once per window and not again at the end', async () => {
    const processor = pii({ when: 'always' });
    const { args } = await streamText(processor, text, [11], 'text');
    const calls = listJudgedTexts().length;
    expect(calls).toBe(2);
    await processor.processOutputResult?.(resultArgs([assistant('a', expected)], { state: args.state }));
    expect(listJudgedTexts()).toHaveLength(calls);
  });
  test('pii buffers at most a window and its lookahead', async () => {
    const args = commonArgs();
    const processor = pii();
    const out: Chunk[] = [];
    for (const one of 'word '.repeat(60).split('')) out.push(...(await send(processor, deltaChunk('text', one), args)));
    expect(out).toHaveLength(1);
  });
  test('pii judges tool arguments by rules only', async () => {
    expect((await streamText(pii(), '{"to":"Ann"} ', [3], 'tool')).passed.join('')).toBe('{"to":"Ann"} ');
  });
});

test('pii judges an answer that was not streamed', async () => {
  const args = resultArgs([assistant('a', 'Ann said so.')]);
  await pii().processOutputResult?.(args);
  expect(args.messageList.get.response.db().map(readMessageText)).toEqual(['[REDACTED] said so.']);
});

describe('values that a model lists', () => {
  const values = (...found: string[]) => ({ found: found.map((value) => ({ type: 'name' as const, value })) });
  test.each([
    ['is found wherever it stands', values('Ann'), 'Ann, Ann', [0, 5]],
    ['is found as a whole word', values('Ann'), 'Annual, Hannah', []],
    ['is found by the longest', values('Ann', 'Ann Lee'), 'Ann Lee, Ann Leena', [0, 9]],
    ['is found as it is, whatever signs it has', values('A. (Bo) [x]'), 'by A. (Bo) [x].', [3]],
    ['is found in a script without spaces', values('田中'), '私は田中です', [2]],
    ['is found before a particle of another script', values('양화로 45', 'Ann'), '양화로 45로, Ann님, 45', [0, 9]],
    ['is ignored where it does not stand there', values('Bob'), 'Ann', []],
    ['is ignored where it is a letter, a number or a mark', values('A', '12', '[REDACTED]'), 'A 12 [REDACTED]', []],
  ])('pii handles %s', (_, answer, text, starts) =>
    expect(createNameFinder(answer, [])(text).map(({ start }) => start)).toEqual(starts),
  );
});

describe('the need for a model', () => {
  test.each([
    'I met Ada yesterday',
    'Ada Lovelace wrote',
    'my name is ada',
    '田中です',
    'Ich wohne hier',
    'He lives at 12 baker street',
    'meu nome é renata',
    'nazywam się kasia',
    'меня зовут света',
    'ik heet sanne',
    'jag heter lina',
    'benim adım deniz',
    'Ann said so',
  ])('the text may contain a name: %s', (text) => expect(mayHoldNames(text)).toBe(true));
  test.each(['what is 1 + 1?', 'o que é isto?', 'сколько это стоит?', 'Hello. How is it?', '{"a": 1}', ''])(
    'the text contains no name: %s',
    (text) => expect(mayHoldNames(text)).toBe(false),
  );
});
