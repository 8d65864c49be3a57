import type { Chunk, JsonObject } from '@millrace/contracts';
import { commonArgs, inputArgs, resultArgs, catchStop } from '@millrace/testkit';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { NO_MODELS } from '../../model/guard-models.ts';
import { readJudgedText, useJudgingProvider } from '../../testing/judging-provider.ts';
import { assistant, stepStartChunk, messageWithTool } from '../../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText, type StreamKind } from '../../testing/stream-text.ts';
import { defineModeration } from './moderation.ts';

const judging = useJudgingProvider();
/** Answers about texts with "vile" (0.9 of hate) and "crude" (0.4). */
beforeEach(() => {
  judging.provider.requests.length = 0;
  judging.provider.answer((request) => scoreText(readJudgedText(request)));
});
const scoreText = (text: string) => ({
  scores: { hate: text.includes('vile') ? 0.9 : text.includes('crude') ? 0.4 : 0 },
});
const listJudgedTexts = () => judging.provider.requests.map(readJudgedText);
const create = (options: JsonObject = {}) => {
  const definition = defineModeration(judging.models);
  const given = { model: 'openai-chat/judge', categories: ['hate'], ...options };
  return definition.create(definition.options.parse(given));
};

describe('messages of the caller', () => {
  test('a harmless message passes with one model call each', async () => {
    const args = inputArgs(['hello', 'crude words', '']);
    await create().processInput?.(args);
    expect(args.violations).toEqual([]);
    expect(listJudgedTexts().toSorted()).toEqual(['crude words', 'hello']);
  });
  test('a flagged message stops the run and is reported by category and score', async () => {
    const args = inputArgs(['hello', 'vile words']);
    expect(await catchStop(() => create().processInput?.(args))).toMatchObject({
      type: 'abort',
      reason: 'Moderation: hate.',
      metadata: { rules: ['hate'] },
    });
    expect(args.violations).toEqual([
      {
        message: 'Moderation: hate.',
        rule: 'hate',
        strategy: 'block',
        count: 1,
        detail: { what: 'message', score: 0.9 },
      },
    ]);
  });
  test('the strategy filter drops a flagged message', async () => {
    const args = inputArgs(['hello', 'vile words']);
    await create({ strategy: 'filter' }).processInput?.(args);
    expect(args.messageList.get.input.db().map(({ id }) => id)).toEqual(['m0']);
  });
  test('the strategy warn only reports a flagged message', async () => {
    const args = inputArgs(['vile words']);
    await create({ strategy: 'warn' }).processInput?.(args);
    expect(args.violations).toMatchObject([{ strategy: 'warn' }]);
    expect(args.messageList.takeOps()).toEqual([]);
  });
  test('the guard judges messages of every role with arguments and results of tools', async () => {
    expect(
      await catchStop(() => create().processInput?.(inputArgs([messageWithTool('t', {}, { note: 'vile' })]))),
    ).toMatchObject({
      type: 'abort',
    });
  });
  test('a score at the threshold counts', async () => {
    expect(await catchStop(() => create({ threshold: 0.4 }).processInput?.(inputArgs(['crude'])))).toMatchObject({
      type: 'abort',
    });
  });
  test("the guard blocks a request above the model's bounds by its rule", async () => {
    const many = Array.from({ length: 65 }, (_, at) => `hello ${at}`);
    expect(await catchStop(() => create({ strategy: 'warn' }).processInput?.(inputArgs(many)))).toMatchObject({
      metadata: { rules: ['too-many-model-calls'] },
    });
    expect(listJudgedTexts()).toEqual([]);
  });
  test('an invalid answer of the model is a failure', async () => {
    judging.provider.answer(() => ({ scores: {} }));
    await expect(async () => create().processInput?.(inputArgs(['hello']))).rejects.toMatchObject({
      code: 'extraction-failed',
    });
  });
});

describe('a model that is away', () => {
  test('leaves its other answers in force if a failure would skip the guard', async () => {
    judging.provider.answer((request) =>
      readJudgedText(request).includes('lost') ? 'no answer' : { scores: { hate: 0.9, violence: 0, sexual: 0 } },
    );
    const lost = ['crude words', 'a lost text'];
    const createGuard = () => create({ categories: ['hate', 'violence', 'sexual'] });
    await expect(async () => createGuard().processInput?.(inputArgs(['a lost text']))).rejects.toMatchObject({
      code: 'extraction-failed',
    });
    judging.provider.requests.length = 0;
    const args = { ...inputArgs(lost), skippable: true as const };
    const stop = await catchStop(() => createGuard().processInput?.(args));
    expect(stop).toMatchObject({ type: 'abort', metadata: { rules: ['hate'] } });
    expect(new Set(args.violations.map(({ rule }) => rule))).toEqual(new Set(['hate', 'model-unavailable']));
  });
});

describe('the option `when: doubt`', () => {
  test('the guard calls the model only about texts with a listed word', async () => {
    await create({ when: 'doubt', words: ['nightingale'] }).processInput?.(
      inputArgs(['hello', 'this is bullshit', 'A Nightingale!']),
    );
    expect(listJudgedTexts().toSorted()).toEqual(['A Nightingale!', 'this is bullshit']);
  });
});

describe('moderation of a stream', () => {
  const harmless = 'Plain words of no harm. '.repeat(20);
  test.each<StreamKind>(['text', 'reasoning'])('%s passes in windows with one call each', async (kind) => {
    const { passed } = await streamText(create(), harmless, [7], kind);
    expect(passed.join('')).toBe(harmless);
    expect(passed.map((text) => text.length)).toEqual([200, 200, 80]);
    expect(listJudgedTexts().map((text) => text.length)).toEqual([200, 250, 130]);
  });
  test('the guard stops a stream before its window is released and finds text across two windows', async () => {
    const text = `${'x'.repeat(197)} vile words and more`;
    const args = commonArgs();
    const seen: string[] = [];
    const processor = create();
    const sendAnswer = async () => {
      for (const part of [...text.split('').map((one) => deltaChunk('text', one)), endChunk('text')]) {
        seen.push(...(await send(processor, part, args)).map(showChunk));
      }
    };
    expect(await catchStop(sendAnswer)).toMatchObject({ type: 'abort' });
    expect(seen.join('')).toBe(text.slice(0, 200));
  });
  test.each([[[1]], [[3, 50]], [[199, 1, 400]], [[10_000]]])(
    'the result is the same for deltas of %j',
    async (sizes) => {
      const text = `${harmless}vile ${harmless}`;
      const { passed } = await streamText(create({ strategy: 'filter', context: 0 }), text, sizes, 'text');
      expect(passed.join('')).toBe(text.slice(0, 400) + text.slice(600));
    },
  );
  test('a part that is cut off loses its undecided rest', async () => {
    const args = commonArgs();
    const processor = create();
    expect(await send(processor, deltaChunk('text', 'undecided'), args)).toEqual([]);
    const end: Chunk = { type: 'text-end', runId: 'r1', from: 'AGENT', payload: { id: 'part-1', complete: false } };
    expect(await send(processor, end, args)).toEqual([end]);
    expect(listJudgedTexts()).toEqual([]);
  });
  test('a restarted step starts a new window', async () => {
    const args = commonArgs();
    const processor = create();
    await send(processor, deltaChunk('text', 'rejected '), args);
    await send(processor, stepStartChunk, args);
    await send(processor, deltaChunk('text', 'accepted'), args);
    expect((await send(processor, endChunk('text'), args)).map(showChunk)).toEqual(['accepted', 'text-end']);
  });
  test('white space alone causes no model call', async () => {
    expect((await streamText(create(), ' \n ', [1], 'text')).passed.join('')).toBe(' \n ');
    expect(listJudgedTexts()).toEqual([]);
  });
});

const showChunk = (chunk: Chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : chunk.type);

describe('moderation of the final answer', () => {
  const text = 'Plain words of no harm. '.repeat(20);
  test('the guard does not judge a streamed answer again', async () => {
    const processor = create();
    const { args } = await streamText(processor, text, [9], 'text');
    const calls = listJudgedTexts().length;
    await processor.processOutputResult?.(resultArgs([assistant('a1', text)], { state: args.state }));
    expect(listJudgedTexts()).toHaveLength(calls);
  });
  test('the guard judges an answer that was not streamed', async () => {
    expect(await catchStop(() => create().processOutputResult?.(resultArgs([assistant('a1', 'vile')])))).toMatchObject({
      type: 'abort',
    });
  });
  test('the strategy filter removes flagged windows', async () => {
    const args = resultArgs([assistant('a1', `${text}vile words`)]);
    await create({ strategy: 'filter', context: 0 }).processOutputResult?.(args);
    expect(args.messageList.get.response.db()[0]?.content.parts).toEqual([{ type: 'text', text: text.slice(0, 400) }]);
  });
});

describe('the mode words', () => {
  const words = (options: JsonObject = {}) => {
    const definition = defineModeration(NO_MODELS);
    return definition.create(definition.options.parse({ mode: 'words', ...options }));
  };
  test.each(['What the FUCK', 'So ein Scheiß!', 'Quelle merde.', 'ｂｕｌｌｓｈｉｔ'])(
    'the list finds %s',
    async (text) => {
      const args = inputArgs([text]);
      expect(await catchStop(() => words().processInput?.(args))).toMatchObject({ type: 'abort' });
      expect(args.violations).toMatchObject([{ rule: 'word-list', strategy: 'block' }]);
    },
  );
  test.each(['Scunthorpe', 'a cockpit and a shitake', 'Dickens wrote this', 'You are worth nothing.'])(
    'the list does not find %s',
    async (text) => {
      const args = inputArgs([text]);
      await words().processInput?.(args);
      expect(args.violations).toEqual([]);
    },
  );
  test("the guard finds the operator's words and redacts an answer with the strategy filter in every chunking", async () => {
    const text = 'Oh shit, a nightingale sings. Bullshit!';
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (sizes) => {
        const { passed } = await streamText(words({ strategy: 'filter', words: ['nightingale'] }), text, sizes, 'text');
        expect(passed.join('')).toBe('Oh [REDACTED], a [REDACTED] sings. [REDACTED]!');
      }),
      { seed: 2, numRuns: 50 },
    );
  });
});

test.each<JsonObject>([
  {},
  { mode: 'model' },
  { mode: 'words', window: 10 },
  { model: 'gpt' },
  { mode: 'words', categories: ['rude'] },
])('the guard rejects the options %j', (options) =>
  expect(defineModeration(NO_MODELS).options.safeParse(options).success).toBe(false),
);
