import { buildTextMessage, type Message, type Prompt } from '@millrace/contracts';
import { MessageList } from '@millrace/processor';
import { commonArgs, inputArgs, resultArgs, catchStop } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { assistant, messageInParts, stepStartChunk, messageWithTool } from '../../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText } from '../../testing/stream-text.ts';
import { prepareTokenCounting } from './count-tokens.ts';
import { fitTokens } from './fit-tokens.ts';
import { tokenLimiter } from './token-limiter.ts';

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
const limiter = (options: object) => tokenLimiter.create(tokenLimiter.options.parse(options));

describe('counting tokens', () => {
  test('the exact count uses the encoding of OpenAI and treats control tokens as text', () => {
    const count = prepareTokenCounting({ counting: 'exact' });
    expect(count(['Hello, world!', words(100), '']).map(({ tokens }) => tokens)).toEqual([4, 100, 0]);
    expect(count(['<|endoftext|>'])[0]?.tokens).toBeGreaterThan(1);
  });
  test('the estimate is close to the exact count', () => {
    expect(prepareTokenCounting({ counting: 'estimate' })([words(100)])).toMatchObject([{ tokens: 100 }]);
  });
  test('the counter locates the beginning and the end of a text', () => {
    const count = prepareTokenCounting({ counting: 'estimate', ends: { head: 2, tail: 1 } });
    expect(count(['one two three four', 'one', ''])).toEqual([
      { tokens: 4, headEnd: 7, tailStart: 13 },
      { tokens: 1, headEnd: 3, tailStart: 0 },
      { tokens: 0, headEnd: 0, tailStart: 0 },
    ]);
  });
});

describe('selecting units', () => {
  const unit = (tokens: number, at: number, isFixed = false) => ({ members: [at], tokens, isFixed });
  const units = [unit(10, 0), unit(100, 1), unit(10, 2), unit(10, 3, true)];
  test('best-fit keeps older units that still fit', () =>
    expect(fitTokens(units, 30, 'best-fit').dropped).toEqual([1]));
  test('contiguous drops every unit before the first that does not fit', () =>
    expect(fitTokens(units, 30, 'contiguous').dropped).toEqual([0, 1]));
  test('required units count first', () => expect(fitTokens(units, 5, 'best-fit').required).toBe(10));
});

/** A prompt of a thread with one old turn with a tool call, and the current turn. */
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

describe('limits of a prompt', () => {
  test('the limiter leaves a prompt within the limit unchanged', async () => {
    const { args, answer } = request({ limit: 1_000 }, prompt(20));
    expect(await answer()).toBeUndefined();
    expect(args.violations).toEqual([]);
  });
  test('the limiter drops old messages, a call with its result, and nothing of the current turn', async () => {
    const given = prompt(50);
    const { args, answer } = request({ limit: 120 }, given);
    const kept = [0, 1, 4, 5, 6, 7].map((at) => given[at]);
    expect(await answer()).toEqual({ prompt: kept });
    expect(args.violations).toMatchObject([{ rule: 'too-many-tokens', strategy: 'truncate', count: 2 }]);
  });
  test('the limiter stops the run if the current turn alone does not fit', async () => {
    const { answer } = request({ limit: 60 }, prompt(70));
    expect(await catchStop(answer)).toMatchObject({
      type: 'abort',
      metadata: { rules: ['too-many-tokens'] },
    });
  });
  test('the strategy abort stops the run, or halts if a response is set', async () => {
    expect(await catchStop(request({ limit: 120, strategy: 'abort' }, prompt(50)).answer)).toMatchObject({
      type: 'abort',
    });
    const halting = request({ limit: 120, strategy: 'abort', response: 'Too long.' }, prompt(50));
    expect(await catchStop(halting.answer)).toMatchObject({ type: 'halt', response: 'Too long.' });
  });
});

describe('limits of the input', () => {
  const listRemembered = (...texts: string[]): Message[] =>
    texts.map((text, at) => buildTextMessage(`old-${at}`, 'user', text));
  const args = (old: Message[], fresh: Message[], system: string[] = []) => {
    const entries = [
      ...old.map((message) => ({ source: 'remembered' as const, message })),
      ...fresh.map((message) => ({ source: 'input' as const, message })),
    ];
    const systemMessages = system.map((content) => ({ role: 'system' as const, tag: 'instructions', content }));
    const messageList = new MessageList({ entries, system: systemMessages }, 'input');
    return { ...inputArgs([]), messageList, messages: messageList.get.all.db(), systemMessages };
  };
  test("the limiter drops remembered messages before the user's current ones", async () => {
    const given = args(listRemembered(words(60), words(20)), [buildTextMessage('new', 'user', words(30))], [words(10)]);
    await limiter({ limit: 100 }).processInput?.(given);
    expect(given.messageList.get.all.db().map(({ id }) => id)).toEqual(['old-1', 'new']);
  });
  test('the limiter stops a run if its question does not fit', async () => {
    const given = args([], [buildTextMessage('new', 'user', words(150))]);
    expect(await catchStop(() => limiter({ limit: 100 }).processInput?.(given))).toMatchObject({ type: 'abort' });
  });
  test('the limiter counts arguments and results of tools', async () => {
    const given = args(
      [messageWithTool('old-0', { q: words(50) }, words(60))],
      [buildTextMessage('new', 'user', 'hi')],
    );
    await limiter({ limit: 100 }).processInput?.(given);
    expect(given.messageList.get.all.db().map(({ id }) => id)).toEqual(['new']);
  });
});

describe('limits of a stream', () => {
  const text = `${words(9)} 中文字符。 ${words(9)}`;
  test.each([[[1]], [[3, 7]], [[text.length]]])(
    'the limiter truncates at the same word in deltas of %j',
    async (sizes) => {
      const { passed, args } = await streamText(limiter({ limit: 5 }), text, sizes, 'text');
      expect(passed.join('')).toBe(words(5));
      expect(args.violations).toMatchObject([{ rule: 'answer-too-long', strategy: 'truncate' }]);
    },
  );
  test('the limiter leaves a stream up to the limit unchanged', async () => {
    expect((await streamText(limiter({ limit: 5 }), words(5), [2], 'text')).passed.join('')).toBe(words(5));
  });
  test('the strategy abort stops the stream', async () => {
    const aborting = limiter({ limit: 5, strategy: 'abort' });
    expect(await catchStop(() => streamText(aborting, text, [4], 'text'))).toMatchObject({ type: 'abort' });
  });
  test.each([
    ['cumulative', [words(3), ' word']],
    ['part', [words(3), words(4)]],
  ])('the limiter counts %s over text parts', async (countMode, expected) => {
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
  test('a restarted step starts with its original count', async () => {
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
  test('the stream passes whole if only the result is limited', async () => {
    expect((await streamText(limiter({ limit: 1, at: 'result' }), text, [3], 'text')).passed.join('')).toBe(text);
  });
});

describe('limits of the final answer', () => {
  test('the limiter stores the words that fit, over all messages', async () => {
    const args = resultArgs([assistant('a1', words(6)), messageInParts('a2', words(6), 'more')]);
    await limiter({ limit: 10, at: 'result' }).processOutputResult?.(args);
    expect(args.messageList.get.response.db().map(({ content }) => content.parts)).toEqual([
      [{ type: 'text', text: words(6) }],
      [{ type: 'text', text: words(4) }],
    ]);
  });
});

test.each([{}, { limit: 0 }, { limit: 1, at: 'input' }, { limit: 1, strategy: 'block' }])(
  'the limiter rejects the options %j',
  (options) => expect(tokenLimiter.options.safeParse(options).success).toBe(false),
);
