// The reference's own processors, unmodified, in our services: each keeps its documented behavior in a run.
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPrompt, type Answer, type GeneratedConversation, type Use } from './conversation.ts';
import { startModelProxy, type ModelProxy } from './model-proxy.ts';
import { sentPrompt } from './outcome.ts';

const nats = useNats();
const stack = useStack(nats, []);
let proxy: ModelProxy;

beforeAll(async () => {
  proxy = await startModelProxy(stack.modelUrl);
  await stack.start('orchestrator', { OPENAI_BASE_URL: proxy.url });
  // The model of the judging processors is down: no server listens there.
  await stack.startProgram('theirs', new URL('serve-reference.ts', import.meta.url).pathname);
});
afterAll(() => proxy.close());

const plain: GeneratedConversation = {
  seed: 0,
  input: [],
  output: [],
  said: 'Say it.',
  answers: [],
  maxProcessorRetries: undefined,
  earlier: [],
};
let agents = 0;

type Asked = { input?: Use[]; output?: Use[]; said?: string; answers: Answer[]; more?: object };
async function ask({ input = [], output = [], said = 'Say it.', answers, more }: Asked) {
  const name = `agent-${agents++}`;
  const tools = ['echo'];
  await stack.client.agents.apply({
    name,
    model: 'openai-chat/stand-in',
    instructions: 'Answer.',
    tools,
    input,
    output,
    ...more,
  } as never);
  const run = await stack.client.start(name, buildPrompt({ ...plain, said, answers }));
  const chunks = [];
  for await (const chunk of run.fullStream) chunks.push(chunk);
  const result = await run.result();
  const texts = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.payload.text] : []));
  return {
    result,
    chunks,
    texts,
    prompts: proxy.listSent(run.runId).map(sentPrompt),
    events: () => stack.client.runs.eventsDetail(run.runId),
  };
}

describe('UnicodeNormalizer', () => {
  test('UnicodeNormalizer normalizes the prompt', async () => {
    const { prompts } = await ask({
      input: [{ use: 'their-normalizer', options: { collapseWhitespace: true } }],
      said: 'Ｆｕｌｌ    width',
      answers: [{ text: 'Fine.' }],
    });
    expect(prompts[0]?.at(-1)?.text).toMatch(/^Full width/);
  });
});

describe('RegexFilterProcessor', () => {
  const answers = [{ text: 'Write to ada@example.org, or call 415-555-0132 now.', chunkSize: 3 }];

  test('RegexFilterProcessor redacts matches that span chunks and reports them', async () => {
    const { result, texts, events } = await ask({
      output: [{ use: 'their-regex', options: { presets: ['pii'], strategy: 'redact' } }],
      answers,
    });
    expect(texts.join('')).toBe('Write to [EMAIL], or call [PHONE] now.');
    expect(result).toMatchObject({ status: 'finished', text: 'Write to [EMAIL], or call [PHONE] now.' });
    expect(result.violations).toMatchObject([{ processorId: 'their-regex' }]);
    expect(JSON.stringify(await events())).toContain('redacted content matching patterns: email');
  });

  test('RegexFilterProcessor blocks by its own TripWire', async () => {
    const { result } = await ask({
      input: [{ use: 'their-regex', options: { presets: ['pii'], strategy: 'block' } }],
      said: 'I am ada@example.org.',
      answers: [],
    });
    expect(result).toMatchObject({
      status: 'aborted',
      tripwire: {
        reason: 'Regex filter: blocked content matching patterns: email',
        metadata: { strategy: 'block', matches: [{ rule: 'email', match: '[REDACTED_MATCH]' }] },
      },
    });
    expect(result.violations).toMatchObject([{ processorId: 'their-regex' }]);
  });

  test('RegexFilterProcessor is rejected with invalid options', async () => {
    const { result } = await ask({ input: [{ use: 'their-regex', options: { streamCarryoverSize: -1 } }], answers });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'options-invalid' } });
  });
});

describe('TokenLimiterProcessor', () => {
  test('TokenLimiterProcessor cuts the answer and reports it on the stream', async () => {
    const { result, chunks } = await ask({
      output: [{ use: 'their-limiter', options: { limit: 5 } }],
      answers: [{ text: 'one two three four five six seven eight nine ten', chunkSize: 6 }],
    });
    expect(result.text.length).toBeLessThan(30);
    expect(chunks.map(({ type }) => String(type))).toContain('data-token-limit-reached');
  });

  test('TokenLimiterProcessor rejects a prompt that no trimming makes small enough', async () => {
    const { result, prompts } = await ask({ input: [{ use: 'their-limiter', options: { limit: 10 } }], answers: [] });
    expect(result).toMatchObject({
      status: 'aborted',
      tripwire: { reason: expect.stringContaining('TokenLimiterProcessor') },
    });
    expect(prompts).toEqual([]);
  });
});

describe('ToolCallFilter', () => {
  test('ToolCallFilter hides calls of other runs and shows those of its own run in every step', async () => {
    const { prompts } = await ask({
      input: [{ use: 'their-tool-filter', options: {} }],
      answers: [
        { toolCalls: [{ name: 'echo', args: { text: 'a' } }] },
        { toolCalls: [{ name: 'echo', args: { text: 'b' } }] },
        { text: 'done' },
      ],
    });
    // The Set in its state survives the bus: the calls of this run stay visible.
    expect(prompts.map((prompt) => prompt.flatMap(({ calls }) => calls).length)).toEqual([0, 1, 2]);
  });

  test('ToolCallFilter hides all but the last step if configured', async () => {
    const { prompts } = await ask({
      input: [{ use: 'their-tool-filter', options: { exclude: ['echo'], filterAfterToolSteps: 1 } }],
      answers: [
        { toolCalls: [{ name: 'echo', args: { text: 'a' } }] },
        { toolCalls: [{ name: 'echo', args: { text: 'b' } }] },
        { text: 'done' },
      ],
    });
    expect(prompts.map((prompt) => prompt.flatMap(({ calls }) => calls).length)).toEqual([0, 1, 1]);
  });
});

describe('BatchPartsProcessor', () => {
  test('BatchPartsProcessor merges pieces and loses none at the end of a text, a step or the run', async () => {
    const text = 'one two three four five six seven';
    const { texts, chunks, result } = await ask({
      output: [{ use: 'their-batches', options: { batchSize: 4 } }],
      answers: [{ text, chunkSize: 3 }],
    });
    expect(texts.join('')).toBe(text);
    expect(texts.length).toBeLessThanOrEqual(Math.ceil(text.length / 3 / 4) + 1);
    expect(chunks.at(-1)?.type).toBe('finish');
    expect(result).toMatchObject({ status: 'finished', text });
  });

  test('BatchPartsProcessor works with a timer in its state', async () => {
    const { texts } = await ask({
      output: [{ use: 'their-batches', options: { batchSize: 50, maxWaitTime: 1 } }],
      answers: [{ text: 'one two three', chunkSize: 3 }, { text: 'four' }],
    });
    expect(texts.join('')).toBe('one two three');
  });
});

describe('PIIDetector', () => {
  const strict = { errorStrategy: 'strict' };

  test('a strict PIIDetector blocks text that it cannot judge, because its model is down', async () => {
    const { result, prompts } = await ask({
      input: [{ use: 'their-pii', options: strict }],
      said: 'I am Ada.',
      answers: [{ text: 'Hi.' }],
    });
    expect(result).toMatchObject({
      status: 'aborted',
      tripwire: {
        reason: 'PII detection failed because the internal model call failed',
        processorId: 'their-pii',
      },
    });
    expect(prompts).toEqual([]);
  });

  test('a strict PIIDetector publishes nothing of an answer that it cannot judge', async () => {
    const { result, texts } = await ask({
      output: [{ use: 'their-pii', options: { ...strict, detectionTypes: ['name'] } }],
      answers: [{ text: 'Her name is Ada. She mills.', chunkSize: 4 }],
    });
    expect(result).toMatchObject({
      status: 'aborted',
      tripwire: { reason: expect.stringContaining('PII detection failed') },
    });
    expect(texts).toEqual([]);
  });

  test('PIIDetector redacts matches that span chunks by its own rules', async () => {
    const { texts } = await ask({
      output: [{ use: 'their-pii', options: { detectionTypes: ['email'], redactionMethod: 'placeholder' } }],
      answers: [{ text: 'Write to ada@example.org today.', chunkSize: 3 }],
    });
    expect(texts.join('')).toBe('Write to [EMAIL] today.');
  });
});

describe('a custom class against the types of the reference', () => {
  test('a class that catches its own abort still stops the run', async () => {
    const { result, texts } = await ask({
      output: [{ use: 'own-swallower', options: {} }],
      answers: [{ text: 'go on, stop here, and on', chunkSize: 24 }],
    });
    expect(result).toMatchObject({ status: 'aborted', tripwire: { reason: 'swallowed' } });
    expect(texts).toEqual([]);
  });

  test('a class keeps Set, Map and Date in its state, and adds a system message', async () => {
    const { result, prompts } = await ask({
      input: [{ use: 'own-keeper', options: {} }],
      answers: [{ toolCalls: [{ name: 'echo', args: { text: 'a' } }] }, { text: 'done' }],
    });
    expect(result).toMatchObject({ status: 'finished', text: 'done' });
    expect(prompts[0]?.filter(({ role }) => role === 'system').map(({ text }) => text)).toEqual([
      'Answer.',
      'Be brief.',
    ]);
  });

  test('a class requests a retry and gets another answer', async () => {
    const { result, prompts } = await ask({
      output: [{ use: 'own-longer', options: { least: 10 } }],
      answers: [{ text: 'short' }, { text: 'long enough now' }],
      more: { maxProcessorRetries: 2 },
    });
    expect(result).toMatchObject({ status: 'finished', text: 'long enough now' });
    expect(prompts).toHaveLength(2);
  });
});
