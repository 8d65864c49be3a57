import type { Chunk, JsonObject } from '@millrace/contracts';
import { commonArgs, inputArgs, resultArgs, stopOf } from '@millrace/testkit';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { NO_MODELS } from '../model/guard-models.ts';
import { judgedText, useJudgingProvider } from '../testing/judging-provider.ts';
import { assistant, stepStartChunk, withTool } from '../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText, type StreamKind } from '../testing/stream-text.ts';
import { moderation } from './moderation.ts';

const judging = useJudgingProvider();
/** Asked for the texts that hold "vile": 0.9 of hate; "crude": 0.4. */
beforeEach(() => {
  judging.provider.requests.length = 0;
  judging.provider.answer((request) => scoresOf(judgedText(request)));
});
const scoresOf = (text: string) => ({
  scores: { hate: text.includes('vile') ? 0.9 : text.includes('crude') ? 0.4 : 0 },
});
const asked = () => judging.provider.requests.map(judgedText);
const create = (options: JsonObject = {}) => {
  const definition = moderation(judging.models);
  const given = { model: 'openai-chat/judge', categories: ['hate'], ...options };
  return definition.create(definition.options.parse(given));
};

describe('the caller’s messages', () => {
  test('that are harmless pass, one call for each', async () => {
    const args = inputArgs(['hello', 'crude words', '']);
    await create().processInput?.(args);
    expect(args.violations).toEqual([]);
    expect(asked().toSorted()).toEqual(['crude words', 'hello']);
  });
  test('that are not stop the run, and are reported by category and score', async () => {
    const args = inputArgs(['hello', 'vile words']);
    expect(await stopOf(() => create().processInput?.(args))).toMatchObject({
      kind: 'abort',
      reason: 'Moderation: hate.',
      options: { metadata: { rules: ['hate'] } },
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
  test('are left out with strategy filter', async () => {
    const args = inputArgs(['hello', 'vile words']);
    await create({ strategy: 'filter' }).processInput?.(args);
    expect(args.messageList.get.input.db().map(({ id }) => id)).toEqual(['m0']);
  });
  test('are only reported with strategy warn', async () => {
    const args = inputArgs(['vile words']);
    await create({ strategy: 'warn' }).processInput?.(args);
    expect(args.violations).toMatchObject([{ strategy: 'warn' }]);
    expect(args.messageList.takeOps()).toEqual([]);
  });
  test('are judged with what tools were given and gave back, whatever their role', async () => {
    expect(await stopOf(() => create().processInput?.(inputArgs([withTool('t', {}, { note: 'vile' })])))).toMatchObject(
      {
        kind: 'abort',
      },
    );
  });
  test('count from the threshold on', async () => {
    expect(await stopOf(() => create({ threshold: 0.4 }).processInput?.(inputArgs(['crude'])))).toMatchObject({
      kind: 'abort',
    });
  });
  test('beyond what a model is asked are blocked by name', async () => {
    const many = Array.from({ length: 65 }, (_, at) => `hello ${at}`);
    expect(await stopOf(() => create({ strategy: 'warn' }).processInput?.(inputArgs(many)))).toMatchObject({
      options: { metadata: { rules: ['too-many-model-calls'] } },
    });
    expect(asked()).toEqual([]);
  });
  test('are a failure, not a pass, where the model does not answer', async () => {
    judging.provider.answer(() => ({ scores: {} }));
    await expect(async () => create().processInput?.(inputArgs(['hello']))).rejects.toMatchObject({
      code: 'extraction-failed',
    });
  });
});

describe('with `when: doubt` the model', () => {
  test('is asked only where a word of the list stands', async () => {
    await create({ when: 'doubt', words: ['nightingale'] }).processInput?.(
      inputArgs(['hello', 'this is bullshit', 'A Nightingale!']),
    );
    expect(asked().toSorted()).toEqual(['A Nightingale!', 'this is bullshit']);
  });
});

describe('a stream', () => {
  const harmless = 'Plain words of no harm. '.repeat(20);
  test.each<StreamKind>(['text', 'reasoning'])('%s passes in windows, one call for each', async (kind) => {
    const { passed } = await streamText(create(), harmless, [7], kind);
    expect(passed.join('')).toBe(harmless);
    expect(passed.map((text) => text.length)).toEqual([200, 200, 80]);
    expect(asked().map((text) => text.length)).toEqual([200, 250, 130]);
  });
  test('is stopped before its window is seen, and what stands on two windows is found', async () => {
    const text = `${'x'.repeat(197)} vile words and more`;
    const args = commonArgs();
    const seen: string[] = [];
    const processor = create();
    const sent = async () => {
      for (const part of [...text.split('').map((one) => deltaChunk('text', one)), endChunk('text')]) {
        seen.push(...(await send(processor, part, args)).map(shown));
      }
    };
    expect(await stopOf(sent)).toMatchObject({ kind: 'abort' });
    expect(seen.join('')).toBe(text.slice(0, 200));
  });
  test.each([[[1]], [[3, 50]], [[199, 1, 400]], [[10_000]]])('comes to the same in deltas of %j', async (sizes) => {
    const text = `${harmless}vile ${harmless}`;
    const { passed } = await streamText(create({ strategy: 'filter', context: 0 }), text, sizes, 'text');
    expect(passed.join('')).toBe(text.slice(0, 400) + text.slice(600));
  });
  test('that is cut off loses what was not judged', async () => {
    const args = commonArgs();
    const processor = create();
    expect(await send(processor, deltaChunk('text', 'undecided'), args)).toEqual([]);
    const end: Chunk = { type: 'text-end', runId: 'r1', from: 'AGENT', payload: { id: 'part-1', complete: false } };
    expect(await send(processor, end, args)).toEqual([end]);
    expect(asked()).toEqual([]);
  });
  test('starts over with its step', async () => {
    const args = commonArgs();
    const processor = create();
    await send(processor, deltaChunk('text', 'rejected '), args);
    await send(processor, stepStartChunk, args);
    await send(processor, deltaChunk('text', 'accepted'), args);
    expect((await send(processor, endChunk('text'), args)).map(shown)).toEqual(['accepted', 'text-end']);
  });
  test('of nothing but white space asks nothing', async () => {
    expect((await streamText(create(), ' \n ', [1], 'text')).passed.join('')).toBe(' \n ');
    expect(asked()).toEqual([]);
  });
});

const shown = (chunk: Chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : chunk.type);

describe('the final answer', () => {
  const text = 'Plain words of no harm. '.repeat(20);
  test('is not judged again where the stream has shown it', async () => {
    const processor = create();
    const { args } = await streamText(processor, text, [9], 'text');
    const calls = asked().length;
    await processor.processOutputResult?.(resultArgs([assistant('a1', text)], { state: args.state }));
    expect(asked()).toHaveLength(calls);
  });
  test('is judged where no stream has shown it', async () => {
    expect(await stopOf(() => create().processOutputResult?.(resultArgs([assistant('a1', 'vile')])))).toMatchObject({
      kind: 'abort',
    });
  });
  test('loses the windows that are filtered', async () => {
    const args = resultArgs([assistant('a1', `${text}vile words`)]);
    await create({ strategy: 'filter', context: 0 }).processOutputResult?.(args);
    expect(args.messageList.get.response.db()[0]?.content.parts).toEqual([{ type: 'text', text: text.slice(0, 400) }]);
  });
});

describe('mode words', () => {
  const words = (options: JsonObject = {}) => {
    const definition = moderation(NO_MODELS);
    return definition.create(definition.options.parse({ mode: 'words', ...options }));
  };
  test.each(['What the FUCK', 'So ein Scheiß!', 'Quelle merde.', 'ｂｕｌｌｓｈｉｔ'])('finds %s', async (text) => {
    const args = inputArgs([text]);
    expect(await stopOf(() => words().processInput?.(args))).toMatchObject({ kind: 'abort' });
    expect(args.violations).toMatchObject([{ rule: 'word-list', strategy: 'block' }]);
  });
  test.each(['Scunthorpe', 'a cockpit and a shitake', 'Dickens wrote this', 'You are worth nothing.'])(
    'finds nothing in %s: it is a list of words, and no more',
    async (text) => {
      const args = inputArgs([text]);
      await words().processInput?.(args);
      expect(args.violations).toEqual([]);
    },
  );
  test('finds words of the operator, and redacts an answer with strategy filter, whatever its chunks are', async () => {
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
])('options %j are refused', (options) => expect(moderation(NO_MODELS).options.safeParse(options).success).toBe(false));
