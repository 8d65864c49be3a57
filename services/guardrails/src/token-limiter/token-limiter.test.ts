import { textMessage, type Message, type Prompt } from '@millrace/contracts';
import { MessageList } from '@millrace/processor';
import { commonArgs, inputArgs, resultArgs, stopOf } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { assistant, inParts, stepStartChunk, withTool } from '../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText } from '../testing/stream-text.ts';
import { prepareTokenCounting } from './count-tokens.ts';
import { fitTokens } from './fit-tokens.ts';
import { tokenLimiter } from './token-limiter.ts';

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
const limiter = (options: object) => tokenLimiter.create(tokenLimiter.options.parse(options));

describe('counting', () => {
  test('exact is the encoding of OpenAI, and what spells a control token is text', () => {
    const [count] = [prepareTokenCounting({ counting: 'exact' })];
    expect(count?.(['Hello, world!', words(100), ''])).toEqual([4, 100, 0]);
    expect(count?.(['<|endoftext|>'])[0]).toBeGreaterThan(1);
  });
  test('an estimate is near it', () => {
    expect(prepareTokenCounting({ counting: 'estimate' })([words(100)])).toEqual([100]);
  });
});

describe('what fits', () => {
  const unit = (tokens: number, at: number, mustStay = false) => ({ members: [at], tokens, mustStay });
  const units = [unit(10, 0), unit(100, 1), unit(10, 2), unit(10, 3, true)];
  test('best-fit keeps older ones that still fit', () => expect(fitTokens(units, 30, 'best-fit').dropped).toEqual([1]));
  test('contiguous keeps none before the first that does not', () =>
    expect(fitTokens(units, 30, 'contiguous').dropped).toEqual([0, 1]));
  test('what must stay counts first', () => expect(fitTokens(units, 5, 'best-fit').required).toBe(10));
});

/** A prompt of a thread with one old turn that called a tool, and a turn that is under way. */
const call = (id: string) => ({ type: 'tool-call', toolCallId: id, toolName: 'notes', input: { q: words(5) } });
const result = (id: string, size: number) => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'notes',
  output: { type: 'json', value: words(size) },
});
const user = (text: string): Prompt[number] => ({ role: 'user', content: [{ type: 'text', text }] });
const prompt = (newResult: number): Prompt => [
  { role: 'system', content: words(10) },
  user('old question'),
  { role: 'assistant', content: [call('1')] },
  { role: 'tool', content: [result('1', 50)] },
  { role: 'assistant', content: [{ type: 'text', text: 'old answer' }] },
  user('new question'),
  { role: 'assistant', content: [call('1')] },
  { role: 'tool', content: [result('1', newResult)] },
];
const request = (options: object, given: Prompt) => {
  const args = {
    ...commonArgs(),
    prompt: given,
    model: 'openai/x',
    steps: [],
    tools: [],
    modelSettings: {},
    providerOptions: {},
    guards: [],
  };
  return { args, answer: async () => limiter(options).processLLMRequest?.(args) };
};

describe('the prompt of a model call', () => {
  test('within the limit is left alone', async () => {
    const { args, answer } = request({ limit: 1_000 }, prompt(20));
    expect(await answer()).toBeUndefined();
    expect(args.violations).toEqual([]);
  });
  test('loses old messages, a call together with its result, and nothing of the turn that is under way', async () => {
    const given = prompt(50);
    const { args, answer } = request({ limit: 120 }, given);
    const kept = [0, 1, 4, 5, 6, 7].map((at) => given[at]);
    expect(await answer()).toEqual({ prompt: kept });
    expect(args.violations).toMatchObject([{ rule: 'too-many-tokens', strategy: 'truncate', count: 2 }]);
  });
  test('is not cut where the turn that is under way does not fit by itself: the run stops', async () => {
    const { answer } = request({ limit: 60 }, prompt(70));
    expect(await stopOf(answer)).toMatchObject({
      kind: 'abort',
      options: { metadata: { rules: ['too-many-tokens'] } },
    });
  });
  test('with strategy abort stops the run, and halts where there is a response', async () => {
    expect(await stopOf(request({ limit: 120, strategy: 'abort' }, prompt(50)).answer)).toMatchObject({
      kind: 'abort',
    });
    const halting = request({ limit: 120, strategy: 'abort', response: 'Too long.' }, prompt(50));
    expect(await stopOf(halting.answer)).toMatchObject({ kind: 'halt', response: 'Too long.' });
  });
});

describe('the input', () => {
  const remembered = (...texts: string[]): Message[] => texts.map((text, at) => textMessage(`old-${at}`, 'user', text));
  const args = (old: Message[], fresh: Message[], system: string[] = []) => {
    const entries = [
      ...old.map((message) => ({ source: 'remembered' as const, message })),
      ...fresh.map((message) => ({ source: 'input' as const, message })),
    ];
    const systemMessages = system.map((content) => ({ role: 'system' as const, tag: 'instructions', content }));
    const messageList = new MessageList({ entries, system: systemMessages }, 'input');
    return { ...inputArgs([]), messageList, messages: messageList.get.all.db(), systemMessages };
  };
  test('loses what memory brought before what the user says now', async () => {
    const given = args(remembered(words(60), words(20)), [textMessage('new', 'user', words(30))], [words(10)]);
    await limiter({ limit: 100 }).processInput?.(given);
    expect(given.messageList.get.all.db().map(({ id }) => id)).toEqual(['old-1', 'new']);
  });
  test('stops a run whose own question does not fit', async () => {
    const given = args([], [textMessage('new', 'user', words(150))]);
    expect(await stopOf(() => limiter({ limit: 100 }).processInput?.(given))).toMatchObject({ kind: 'abort' });
  });
  test('counts arguments and results of tools', async () => {
    const given = args([withTool('old-0', { q: words(50) }, words(60))], [textMessage('new', 'user', 'hi')]);
    await limiter({ limit: 100 }).processInput?.(given);
    expect(given.messageList.get.all.db().map(({ id }) => id)).toEqual(['new']);
  });
});

describe('the stream of an answer', () => {
  const text = `${words(9)} 中文字符。 ${words(9)}`;
  test.each([[[1]], [[3, 7]], [[text.length]]])('is cut at the same word in deltas of %j', async (sizes) => {
    const { passed, args } = await streamText(limiter({ limit: 5 }), text, sizes, 'text');
    expect(passed.join('')).toBe(words(5));
    expect(args.violations).toMatchObject([{ rule: 'answer-too-long', strategy: 'truncate' }]);
  });
  test('is left alone up to the limit', async () => {
    expect((await streamText(limiter({ limit: 5 }), words(5), [2], 'text')).passed.join('')).toBe(words(5));
  });
  test('stops the run with strategy abort', async () => {
    const aborting = limiter({ limit: 5, strategy: 'abort' });
    expect(await stopOf(() => streamText(aborting, text, [4], 'text'))).toMatchObject({ kind: 'abort' });
  });
  test.each([
    ['cumulative', [words(3), ' word']],
    ['part', [words(3), words(4)]],
  ])('counts %s over its text parts', async (countMode, expected) => {
    const args = commonArgs();
    const processor = limiter({ limit: 4, countMode });
    const passed: string[] = [];
    for (const [id, said] of [
      ['1', words(3)],
      ['2', countMode === 'part' ? words(6) : ` ${words(6)}`],
    ] as const) {
      const chunks = [
        ...(await send(processor, deltaChunk('text', said, id), args)),
        ...(await send(processor, endChunk('text', id), args)),
      ];
      passed.push(chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join(''));
    }
    expect(passed).toEqual(expected);
  });
  test('begins a step that starts over where it began before', async () => {
    const args = commonArgs();
    const processor = limiter({ limit: 4 });
    const step = async (stepNumber: number, said: string) => {
      const own = { ...args, stepNumber };
      await send(processor, stepStartChunk, own);
      const chunks = [
        ...(await send(processor, deltaChunk('text', said), own)),
        ...(await send(processor, endChunk('text'), own)),
      ];
      return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join('');
    };
    expect([
      await step(0, words(2)),
      await step(1, words(9)),
      await step(1, words(9)),
      await step(0, words(9)),
    ]).toEqual([words(2), words(2), words(2), words(4)]);
  });
  test('reasoning and tool arguments pass', async () => {
    expect((await streamText(limiter({ limit: 1 }), text, [3], 'reasoning')).passed.join('')).toBe(text);
    expect((await streamText(limiter({ limit: 1 }), text, [3], 'tool')).passed.join('')).toBe(text);
  });
  test('passes whole where the answer is limited at the end', async () => {
    expect((await streamText(limiter({ limit: 1, at: 'result' }), text, [3], 'text')).passed.join('')).toBe(text);
  });
});

describe('the final answer', () => {
  test('is stored with the words that fit, over all its messages', async () => {
    const args = resultArgs([assistant('a1', words(6)), inParts('a2', words(6), 'more')]);
    await limiter({ limit: 10, at: 'result' }).processOutputResult?.(args);
    expect(args.messageList.get.response.db().map(({ content }) => content.parts)).toEqual([
      [{ type: 'text', text: words(6) }],
      [{ type: 'text', text: words(4) }],
    ]);
  });
});

test.each([{}, { limit: 0 }, { limit: 1, at: 'input' }, { limit: 1, strategy: 'block' }])(
  'options %j are refused',
  (options) => expect(tokenLimiter.options.safeParse(options).success).toBe(false),
);
