import type { JsonObject, Prompt } from '@millrace/contracts';
import { catchStop } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { NO_MODELS } from '../../model/guard-models.ts';
import {
  assistantText,
  makeCall,
  requestArgs,
  makeResult,
  makeStep,
  systemText,
  userText,
  writeWords,
} from '../../testing/prompts.ts';
import { BOUNDS } from '../../work/bounds.ts';
import { defineContextCompaction } from './context-compaction.ts';

const definition = defineContextCompaction(NO_MODELS);

async function compact(prompt: Prompt, options: JsonObject) {
  const args = requestArgs(prompt);
  const processor = definition.create(definition.options.parse({ keepRecent: 1, ...options }));
  const result = await processor.processLLMRequest?.(args);
  const compacted = result && 'prompt' in result ? result.prompt : undefined;
  return { compacted, violations: args.violations };
}

const long = `${writeWords(50, 'start')} ${writeWords(900)} ${writeWords(50, 'end')}`;
const ends = { resultHeadTokens: 20, resultTailTokens: 10 };
const head = writeWords(20, 'start');
const tail = ` ${writeWords(10, 'end')}`;
const cut = `${head}\n[… ${(long.length - head.length - tail.length).toLocaleString('en-US')} characters omitted …]\n${tail}`;

describe('old results', () => {
  const recent = makeStep('2', { path: 'b' }, long);
  const prompt = [systemText('Help.'), userText('Fix it.'), ...makeStep('1', { path: 'a' }, long), ...recent];

  test('a prompt within the budget stays, without a report', async () => {
    expect(await compact(prompt, { budget: 5_000, ...ends })).toEqual({ compacted: undefined, violations: [] });
  });
  test('an old result keeps its beginning and its end, and everything else stays as it is', async () => {
    const { compacted, violations } = await compact(prompt, { budget: 1_500, ...ends });
    expect(compacted).toEqual([...prompt.slice(0, 3), makeResult('1', cut), ...recent]);
    expect(violations).toMatchObject([
      { rule: 'context-compacted', count: 1, detail: { shortened: 1, repeated: 0, summarized: 0, dropped: 0 } },
    ]);
  });
  test.each([
    ['json', { type: 'json', value: { text: long } }, 'text'],
    ['error-text', { type: 'error-text', value: long }, 'error-text'],
    ['error-json', { type: 'error-json', value: { text: long } }, 'error-text'],
  ])('a result of the type %s stays a result or an error', async (_name, output, type) => {
    const given = [userText('Fix it.'), makeCall('1', {}), makeResult('1', output), ...recent];
    const { compacted } = await compact(given, { budget: 1_500, ...ends });
    expect(compacted?.[2]?.['content']).toMatchObject([
      { toolCallId: '1', output: { type, value: expect.stringContaining('characters omitted …]') } },
    ]);
  });
  test.each([
    ['a list of contents', { type: 'content', value: [{ type: 'text', text: long }] }],
    ['a denial', { type: 'execution-denied', reason: long }],
  ])('%s stays, and the violation names the unmet budget', async (_name, output) => {
    const given = [userText('Fix it.'), makeCall('1', {}), makeResult('1', output), ...recent];
    const { compacted, violations } = await compact(given, { budget: 1_500, ...ends });
    expect(compacted).toBeUndefined();
    expect(violations).toMatchObject([{ rule: 'budget-not-met', detail: { budget: 1_500 } }]);
  });
});

describe('a text that its marker would not shorten', () => {
  const filler = makeStep('9', {}, long);
  test.each([
    ['few tokens in many characters', `${' '.repeat(40)}word`.repeat(20)],
    ['many tokens in few characters', '文'.repeat(190)],
  ])('stays, with %s', async (_name, text) => {
    const given = [userText('Fix it.'), ...makeStep('1', { path: 'a' }, text), ...filler];
    const none = { resultHeadTokens: 0, resultTailTokens: 0 };
    expect((await compact(given, { budget: 100, ...none })).compacted).toBeUndefined();
    const repeated = [...given.slice(0, 3), ...makeStep('2', { path: 'a' }, text), ...filler];
    expect((await compact(repeated, { budget: 100, ...none })).compacted).toBeUndefined();
  });
  test('stays in a message that is shorter than the note', async () => {
    const given = [userText(long), assistantText('yes'), ...filler];
    const { compacted, violations } = await compact(given, { budget: 100, drop: true });
    expect(compacted).toBeUndefined();
    expect(violations).toMatchObject([{ rule: 'budget-not-met' }]);
  });
});

describe('repeated calls', () => {
  const note = (text: string) =>
    `[… ${text.length.toLocaleString('en-US')} characters omitted: a later call with the same arguments has the result …]`;
  const text = writeWords(100);

  test('only the last result of calls with the same tool and arguments stays', async () => {
    const [one, other, last] = [`${text} 1`, `${text} 2`, `${text} 3`];
    const given = [
      userText('Fix it.'),
      ...makeStep('1', { path: 'a', line: 1 }, one),
      ...makeStep('2', { path: 'b' }, other),
      ...makeStep('3', { line: 1, path: 'a' }, last),
      ...makeStep('4', {}, 'done'),
    ];
    const { compacted, violations } = await compact(given, { budget: 300 });
    expect(compacted).toEqual(given.map((message, at) => (at === 2 ? makeResult('1', note(one)) : message)));
    expect(violations[0]).toMatchObject({ detail: { repeated: 1, shortened: 0 } });
  });
  test.each<[string, Prompt]>([
    ['other arguments', makeStep('2', { path: 'b' }, text)],
    ['another tool', [makeCall('2', { path: 'a' }, 'delete-file'), makeResult('2', text, 'delete-file')]],
    ['a number that differs after the digits of a double', makeStep('2', '{"path":12345678901234567891}', text)],
    ['an error', makeStep('2', { path: 'a' }, { type: 'error-text', value: text })],
  ])('a result stays if the later call has %s', async (_name, later) => {
    const input = _name.includes('number') ? '{"path":12345678901234567890}' : { path: 'a' };
    const given = [userText('Fix it.'), ...makeStep('1', input, text), ...later, ...makeStep('3', {}, 'done')];
    expect((await compact(given, { budget: 150 })).compacted).toBeUndefined();
  });
});

describe('the oldest messages', () => {
  const prompt = [
    systemText('Help.'),
    userText('first request'),
    assistantText(writeWords(100)),
    userText(writeWords(100)),
    assistantText(writeWords(100)),
    userText('current request'),
    ...makeStep('1', { path: writeWords(100) }, writeWords(100)),
    ...makeStep('2', { path: writeWords(100, 'path') }, writeWords(100)),
    ...makeStep('3', {}, 'done'),
  ];
  test('stay without the option, and the violation names the unmet budget', async () => {
    const { compacted, violations } = await compact(prompt, { budget: 400 });
    expect(compacted).toBeUndefined();
    expect(violations).toMatchObject([{ rule: 'budget-not-met' }]);
  });
  test('are omitted with the option, oldest first, and a note at the place counts them', async () => {
    const { compacted, violations } = await compact(prompt, { budget: 550, drop: true });
    expect(compacted).toEqual([
      prompt[0],
      {
        role: 'user',
        content: [
          { type: 'text', text: 'first request' },
          { type: 'text', text: '[… 3 earlier messages with 1,497 characters omitted …]' },
        ],
      },
      ...prompt.slice(5),
    ]);
    expect(violations).toMatchObject([{ rule: 'context-compacted', count: 3, detail: { dropped: 3 } }]);
  });
  test('of the current turn are omitted after those of earlier turns, and a call with its result', async () => {
    const { compacted } = await compact(prompt, { budget: 400, drop: true });
    expect(compacted?.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(compacted?.[2]).toMatchObject({ content: [{ text: 'current request' }, { text: /2 earlier messages/ }] });
  });
  test('before the first request have a note in a message of a user', async () => {
    const given = [
      systemText('Help.'),
      ...makeStep('1', {}, writeWords(200)),
      userText('request'),
      assistantText('yes'),
    ];
    const { compacted } = await compact(given, { budget: 100, drop: true });
    expect(compacted?.map(({ role }) => role)).toEqual(['system', 'user', 'user', 'assistant']);
  });
});

test('a prompt above the bound of a call stops the run', async () => {
  const given = [userText('x'.repeat(BOUNDS.characters))];
  expect(await catchStop(() => compact(given, { budget: 100 }))).toMatchObject({
    type: 'abort',
    metadata: { rules: ['too-many-characters'] },
  });
});

test.each([{}, { budget: 1 }, { budget: 100, keepRecent: 0 }, { budget: 100, model: 'gpt' }])(
  'context-compaction rejects the options %j',
  (options) => expect(definition.options.safeParse(options).success).toBe(false),
);
