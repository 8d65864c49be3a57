import { describe, expect, onTestFinished, test } from 'vitest';
import { createModels } from '../create-models.ts';
import { sseEvents, startByteProvider, startEndlessProvider, type EndlessAnswer } from '../testing/mod.ts';
import { MAX_BODY_BYTES, MAX_ERROR_BODY_BYTES, MAX_EVENT_BYTES } from './body-bounds.ts';

/** Bytes that sockets and streams buffer in addition. */
const BUFFERED = 8 * 1024 * 1024;
const abortSignal = new AbortController().signal;
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

async function startEndless(answer: EndlessAnswer) {
  const provider = await startEndlessProvider(answer);
  onTestFinished(() => provider.close());
  return { provider, models: createModels({ apiKey: 'none', baseUrl: provider.baseUrl }) };
}
type Models = ReturnType<typeof createModels>;

async function readStream(models: Models, model: string, options: { joinsDeltas?: boolean; includeRawChunks?: true }) {
  const { joinsDeltas = false, includeRawChunks = false } = options;
  const language = models.createLanguageModel(model, { joinsDeltas });
  const reader = (await language.doStream({ prompt, includeRawChunks })).stream.getReader();
  let text = '';
  for (let one = await reader.read(); !one.done; one = await reader.read()) {
    if (one.value.type === 'error') throw one.value.error;
    if (one.value.type === 'text-delta') text += one.value.delta;
  }
  return text;
}

const piece = 'a'.repeat(64 * 1024);
const line: EndlessAnswer = { start: 'data: {"x":"', piece };
const lines: EndlessAnswer = { start: '', piece: `data: ${piece}\n` };

describe('An event stream with an event without an end', () => {
  test.each([
    ['openai-chat/m', { joinsDeltas: true }, line],
    ['openai-chat/m', { joinsDeltas: true }, lines],
    ['openai-chat/m', { joinsDeltas: true, includeRawChunks: true }, line],
    ['openai-chat/m', {}, line],
    ['openai/m', { joinsDeltas: true }, line],
    ['openai/m', {}, lines],
  ] as const)('ends the call of %s with %j, and its connection', async (model, options, answer) => {
    const { provider, models } = await startEndless(answer);
    await expect(readStream(models, model, options)).rejects.toMatchObject({
      cause: { code: 'model-answer-too-large', message: expect.stringContaining(String(MAX_EVENT_BYTES)) },
      isRetryable: false,
    });
    await provider.awaitClosed();
    expect(provider.countBytes()).toBeLessThan(MAX_EVENT_BYTES + BUFFERED);
    expect(provider.countRequests()).toBe(1);
  });

  test('is read if the event is as long as an answer may be', async () => {
    const provider = await startByteProvider();
    onTestFinished(() => provider.close());
    const content = 'a'.repeat(1024 * 1024);
    const choices = [{ index: 0, delta: { content }, finish_reason: null }];
    const events = Array.from({ length: 20 }, () => ({ id: 'c1', created: 1, model: 'm', choices }));
    provider.answer({ pieces: sseEvents(...events).flatMap((event) => [event.slice(0, -1), '\n']) });
    const models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
    for (const joinsDeltas of [true, false])
      expect(await readStream(models, 'openai-chat/m', { joinsDeltas })).toHaveLength(20 * content.length);
  });
});

describe('The body of an error that does not end', () => {
  test.each([
    ['openai-chat/m', true],
    ['openai/m', false],
  ])(
    'is cut for %s with joinsDeltas %s: the call keeps its status, and the connection closes',
    async (model, joins) => {
      const { provider, models } = await startEndless({
        status: 400,
        contentType: 'application/json',
        start: '',
        piece,
      });
      await expect(readStream(models, model, { joinsDeltas: joins })).rejects.toMatchObject({
        statusCode: 400,
        isRetryable: false,
      });
      await provider.awaitClosed();
      expect(provider.countBytes()).toBeLessThan(MAX_ERROR_BODY_BYTES + BUFFERED);
    },
  );
});

describe('An answer without a stream that does not end', () => {
  const ask: Record<string, (models: Models) => Promise<unknown>> = {
    'an object': (models) =>
      models.generateObject({ model: 'openai/m', schema: { type: 'object' }, system: 's', prompt: 'p', abortSignal }),
    'an object of chat completions': (models) =>
      models.generateObject({
        model: 'openai-chat/m',
        schema: { type: 'object' },
        system: 's',
        prompt: 'p',
        abortSignal,
      }),
    embeddings: (models) => models.createEmbedder('openai/m').embed(['text'], { abortSignal }),
  };
  test.each(Object.entries(ask))('ends the call for %s once, and its connection', async (_name, call) => {
    const { provider, models } = await startEndless({ contentType: 'application/json', start: '{"x":"', piece });
    await expect(call(models)).rejects.toMatchObject({
      code: 'model-call-failed',
      message: expect.stringContaining(String(MAX_BODY_BYTES)),
    });
    await provider.awaitClosed();
    expect(provider.countBytes()).toBeLessThan(MAX_BODY_BYTES + BUFFERED);
    expect(provider.countRequests()).toBe(1);
  });
});
