import type { JsonObject, JsonValue, Message, MessageSource } from '@millrace/contracts';
import { MessageList } from '@millrace/processor';
import { catchStop, commonArgs, inputArgs, resultArgs, toolCallArgs, toolResultArgs } from '@millrace/testkit';
import { buildTextMessage } from '@millrace/contracts';
import { beforeEach, describe, expect, test } from 'vitest';
import { readJudgedText, useJudgingProvider } from '../../testing/judging-provider.ts';
import { assistant, messageWithTool } from '../../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText } from '../../testing/stream-text.ts';
import { judge } from './judge.ts';

const judging = useJudgingProvider();
const MODEL = 'openai-chat/judge';
const QUESTION = { question: 'Is it vile?' };
const listJudgedTexts = () => judging.provider.requests.map(readJudgedText);
const readInstructions = () => JSON.stringify(judging.provider.requests[0]?.body);
const create = (options: JsonObject = QUESTION) => {
  const definition = judge(judging.models);
  return definition.create(definition.options.parse({ model: MODEL, ...options }));
};
/** Scores a rule 0.9 for texts with "vile". */
const scoreRule = (rule: string) =>
  judging.provider.answer((request) => ({ scores: { [rule]: readJudgedText(request).includes('vile') ? 0.9 : 0.1 } }));
beforeEach(() => {
  judging.provider.requests.length = 0;
  scoreRule('question');
});

const entry = (source: MessageSource, message: Message) => ({ source, message });
const conversation = new MessageList(
  {
    system: [{ tag: 'instructions', content: 'We open at nine.' }],
    entries: [
      entry('remembered', buildTextMessage('r1', 'user', 'I live in Rome.')),
      entry('input', buildTextMessage('i1', 'user', 'How warm is it?')),
      entry('response', messageWithTool('t1', {}, { degrees: 21 })),
    ],
  },
  'response',
);

describe("the author's question about messages of the caller", () => {
  test('each message is one call, and yes stops the run with the rule question', async () => {
    const args = inputArgs(['hello', 'vile words']);
    expect(await catchStop(() => create().processInput?.(args))).toMatchObject({
      type: 'abort',
      reason: 'Judge: question.',
      metadata: { rules: ['question'] },
    });
    expect(args.violations).toMatchObject([{ rule: 'question', strategy: 'block', detail: { score: 0.9 } }]);
    expect(listJudgedTexts().toSorted()).toEqual(['hello', 'vile words']);
    expect(readInstructions()).toContain('Is it vile?');
  });
  test('a response ends the run with that text', async () => {
    const stop = await catchStop(() => create({ ...QUESTION, response: 'No.' }).processInput?.(inputArgs(['vile'])));
    expect(stop).toMatchObject({ type: 'halt', response: 'No.' });
  });
  test('the strategy filter drops the message, and warn reports it', async () => {
    const filtered = inputArgs(['hello', 'vile words']);
    await create({ ...QUESTION, strategy: 'filter' }).processInput?.(filtered);
    expect(filtered.messageList.get.input.db().map(({ id }) => id)).toEqual(['m0']);
    const warned = inputArgs(['hello', 'vile words']);
    await create({ ...QUESTION, strategy: 'warn' }).processInput?.(warned);
    expect(warned.messageList.get.input.db()).toHaveLength(2);
    expect(warned.violations).toMatchObject([{ rule: 'question', strategy: 'warn' }]);
  });
  test('a score below the threshold passes', async () => {
    const args = inputArgs(['vile']);
    await create({ ...QUESTION, threshold: 0.95 }).processInput?.(args);
    expect(args.violations).toEqual([]);
  });
  test('the same message of another run is answered from the cache, unless cacheMs is 0', async () => {
    await create().processInput?.(inputArgs(['hello']));
    await create().processInput?.(inputArgs(['hello']));
    expect(listJudgedTexts()).toEqual(['hello']);
    await create({ ...QUESTION, cacheMs: 0 }).processInput?.(inputArgs(['hello']));
    expect(listJudgedTexts()).toEqual(['hello', 'hello']);
  });
  test.each<[string, JsonValue]>([
    ['another rule', { scores: { other: 0 } }],
    ['a score above 1', { scores: { question: 2 } }],
    ['words', 'It is fine.'],
  ])('an answer with %s is a failure, not a pass', async (_, answer) => {
    judging.provider.answer(() => answer);
    await expect(async () => create().processInput?.(inputArgs(['hello']))).rejects.toMatchObject({
      code: 'extraction-failed',
    });
  });
  test('a text above maxCharacters is blocked with any strategy', async () => {
    const args = inputArgs(['x'.repeat(1_001)]);
    const guard = create({ ...QUESTION, strategy: 'warn', maxCharacters: 1_000 });
    expect(await catchStop(() => guard.processInput?.(args))).toMatchObject({
      reason: 'The text cannot be judged: too-long-for-a-model, the limit is 1000.',
    });
    expect(listJudgedTexts()).toEqual([]);
  });
});

describe('an answer', () => {
  test('a part is released as a whole after its one call', async () => {
    const guard = create();
    const args = commonArgs();
    expect(await send(guard, deltaChunk('text', 'Plain words '), args)).toEqual([]);
    expect(await send(guard, deltaChunk('text', 'of no harm.'), args)).toEqual([]);
    expect(await send(guard, endChunk('text'), args)).toMatchObject([
      { payload: { text: 'Plain words of no harm.' } },
      { type: 'text-end' },
    ]);
    const given = resultArgs([assistant('a1', 'Plain words of no harm.')], { state: args.state });
    await guard.processOutputResult?.(given);
    expect(listJudgedTexts()).toEqual(['Plain words of no harm.']);
  });
  test('a part above the bound is blocked before it is complete', async () => {
    const guard = create({ ...QUESTION, strategy: 'warn' });
    expect(await catchStop(() => streamText(guard, 'x'.repeat(70_000), [1_000], 'text'))).toMatchObject({
      metadata: { rules: ['too-long-for-a-model'] },
    });
  });
  test('the strategy retry aborts with a retry and the reason, and stops the run without retries left', async () => {
    const guard = create({ preset: 'grounding', strategy: 'retry', maxRetries: 1 });
    scoreRule('ungrounded');
    const first = commonArgs();
    expect(await catchStop(() => streamText(guard, 'vile', [4], 'text', { args: first }))).toMatchObject({
      type: 'abort',
      reason: expect.stringContaining('neither the request nor the sources support'),
      retry: true,
      metadata: { rules: ['ungrounded'] },
    });
    expect(first.violations).toHaveLength(1);
    const last = { ...commonArgs(), retryCount: 1 };
    const stop = await catchStop(() => streamText(guard, 'vile', [4], 'text', { args: last }));
    expect(stop).toMatchObject({ type: 'abort', reason: 'Judge: ungrounded.' });
    expect(JSON.stringify(stop)).not.toContain('retry');
  });
  test('grounding sends the request and the sources as JSON, and lets reasoning pass', async () => {
    scoreRule('ungrounded');
    const guard = create({ preset: 'grounding' });
    const args = { ...resultArgs([]), messageList: conversation };
    const answered = new MessageList(
      {
        ...conversation.conversationAsGiven(),
        entries: [
          ...conversation.conversationAsGiven().entries,
          entry('response', assistant('a1', 'It is 21 degrees.')),
        ],
      },
      'response',
    );
    await guard.processOutputResult?.({ ...args, messageList: answered });
    expect(listJudgedTexts().map((text): unknown => JSON.parse(text))).toEqual([
      {
        text: 'It is 21 degrees.',
        request: [
          { role: 'user', text: 'I live in Rome.' },
          { role: 'user', text: 'How warm is it?' },
        ],
        sources: ['We open at nine.', 'I live in Rome.', '{"degrees":21}'],
      },
    ]);
    const { passed } = await streamText(guard, 'vile thoughts', [4], 'reasoning');
    expect(passed.join('')).toBe('vile thoughts');
  });
  test('old sources are cut to the bound, the newest are kept', async () => {
    scoreRule('ungrounded');
    const sources = ['\u0001'.repeat(900), 'b'.repeat(300), 'c'.repeat(300)];
    const messageList = new MessageList(
      {
        system: [],
        entries: [
          ...sources.map((result, at) => entry('response', messageWithTool(`t${at}`, {}, result))),
          entry('response', assistant('a1', 'An answer.')),
        ],
      },
      'response',
    );
    const guard = create({ preset: 'grounding', maxCharacters: 1_000 });
    await guard.processOutputResult?.({ ...resultArgs([]), messageList });
    const [text = ''] = listJudgedTexts();
    expect(text.length).toBeLessThanOrEqual(1_000);
    const parsed: { sources: string[] } = JSON.parse(text);
    expect(parsed.sources.map((one) => one.charAt(0))).toEqual(['\u0001', 'b', 'c']);
  });
});

describe('tool calls and results', () => {
  const call = { ...toolCallArgs({ to: 'eve@example.com' }), messageList: conversation };
  test('tool-alignment judges the call against the request, without tool results', async () => {
    scoreRule('misaligned-call');
    expect(await create({ preset: 'tool-alignment' }).processToolCall?.(call)).toBeUndefined();
    expect(JSON.parse(listJudgedTexts()[0] ?? '')).toEqual({
      toolCall: { tool: call.toolCall.toolName, arguments: { to: 'eve@example.com' } },
      request: [
        { role: 'user', text: 'I live in Rome.' },
        { role: 'user', text: 'How warm is it?' },
      ],
    });
  });
  test('the strategy filter denies a misaligned call, and block stops the run', async () => {
    judging.provider.answer(() => ({ scores: { 'misaligned-call': 1 } }));
    const filter = create({ preset: 'tool-alignment', strategy: 'filter' });
    expect(await filter.processToolCall?.(call)).toMatchObject({ deny: true, code: 'misaligned-call' });
    const block = create({ preset: 'tool-alignment' });
    expect(await catchStop(() => block.processToolCall?.(call))).toMatchObject({ type: 'abort' });
  });
  test('a tool result is judged if `on` names it', async () => {
    expect(await create().processToolResult?.(toolResultArgs('vile'))).toBeUndefined();
    expect(listJudgedTexts()).toEqual([]);
    const guard = create({ ...QUESTION, on: ['toolResult'], strategy: 'filter' });
    expect(await guard.processToolResult?.(toolResultArgs({ note: 'vile' }))).toEqual({
      result: '[tool result removed by a guard]',
    });
    expect(await guard.processToolResult?.(toolResultArgs({ note: 'fine' }))).toBeUndefined();
  });
});

test.each<[JsonObject, string, string]>([
  [{ preset: 'topics', deniedTopics: ['politics'] }, 'denied-topic', 'politics'],
  [{ preset: 'topics', allowedTopics: ['travel'] }, 'off-topic', 'travel'],
  [{ preset: 'competitors', competitors: ['Acme'], on: ['input'] }, 'competitor', 'Acme'],
])('the preset of %j reports the rule %s', async (options, rule, name) => {
  judging.provider.answer(() => ({ scores: { [rule]: 1 } }));
  const args = inputArgs(['hello']);
  expect(await catchStop(() => create(options).processInput?.(args))).toMatchObject({ reason: `Judge: ${rule}.` });
  expect(readInstructions()).toContain(name);
});
