import { MillraceError, type Chunk } from '@millrace/contracts';
import { createModels } from '@millrace/models';
import { sseEvents, startEndlessProvider } from '@millrace/models/testing';
import { describe, expect, test, vi } from 'vitest';
import { makeText, listTypes } from '../testing/chunks.ts';
import { scriptModel, type Say } from '../testing/scripted-model.ts';
import { streamModel } from './model-stream.ts';

const never = new AbortController().signal;
async function stream(say: Say, signal = never) {
  const { models, asked } = scriptModel(say);
  const chunks: Chunk[] = [];
  const take = (some: Chunk[]) => void chunks.push(...some);
  const end = await streamModel(models.createLanguageModel('openai/test'), { prompt: [] }, 'run-1', signal, take);
  return { end, chunks, asked };
}
/** An error of the provider's client, with the members that are read. */
const apiError = (statusCode: number, headers: Record<string, string> = {}) =>
  Object.assign(new Error('refused'), {
    [Symbol.for('vercel.ai.error')]: true,
    [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
    name: 'AI_APICallError',
    statusCode,
    isRetryable: statusCode === 429 || statusCode >= 500,
    responseHeaders: headers,
    url: 'https://example.com',
  });

describe('a model', () => {
  test('that answers returns chunks, a reason and its usage', async () => {
    const { end, chunks } = await stream({ text: 'Hello.' });
    expect(listTypes(chunks)).toEqual(['text-start', 'text-delta', 'text-end']);
    expect(end).toMatchObject({ finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } });
  });

  test('returns no batch of chunks before the previous one is taken', async () => {
    const until = new Promise((resolve) => setTimeout(resolve, 5));
    const { models } = scriptModel({ text: 'Hello.', until });
    const order: string[] = [];
    const take = async (chunks: Chunk[]) => {
      order.push(`take ${listTypes(chunks).join()}`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push('taken');
    };
    await streamModel(models.createLanguageModel('openai/test'), { prompt: [] }, 'run-1', never, take);
    expect(order).toEqual(['take text-start,text-delta', 'taken', 'take text-end', 'taken']);
  });

  test('that sends nothing at all has failed', async () => {
    const { models } = scriptModel({});
    const model = models.createLanguageModel('openai/test');
    const stream = new ReadableStream({ start: (controller) => controller.close() });
    model.doStream = async () => ({ stream });
    const end = await streamModel(model, { prompt: [] }, 'run-1', never, () => undefined);
    expect(end).toMatchObject({
      error: { message: expect.stringContaining('without a finish reason'), isRetryable: true },
    });
  });

  test('that is abandoned receives its signal', async () => {
    const giveUp = new AbortController();
    const { models, asked } = scriptModel({ text: 'Hello.', until: new Promise(() => undefined) });
    const take = () => giveUp.abort();
    const end = await streamModel(models.createLanguageModel('x'), { prompt: [] }, 'run-1', giveUp.signal, take);
    expect(asked[0]?.abortSignal?.aborted).toBe(true);
    expect(end).toHaveProperty('error');
  });

  test('that sends nothing for too long fails with a retryable error', async () => {
    vi.useFakeTimers();
    try {
      const streaming = stream({ text: 'Hel', until: new Promise(() => undefined) });
      await vi.advanceTimersByTimeAsync(121_000);
      const { end, chunks } = await streaming;
      expect(end).toMatchObject({
        code: 'model-idle',
        error: { message: expect.stringContaining('120000 ms'), isRetryable: true },
      });
      expect(makeText(chunks)).toBe('Hel');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a model with chunks that wait for room', () => {
  test('is not idle', async () => {
    vi.useFakeTimers();
    try {
      const { models } = scriptModel({ text: 'Hello.' });
      const room = Promise.withResolvers<void>();
      const streaming = streamModel(
        models.createLanguageModel('x'),
        { prompt: [] },
        'run-1',
        never,
        () => room.promise,
      );
      await vi.advanceTimersByTimeAsync(300_000);
      room.resolve();
      expect(await streaming).toMatchObject({ finishReason: 'stop' });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a provider that ignores its signal', () => {
  test('is not waited for, neither for its first text nor for the next', async () => {
    const giveUp = new AbortController();
    const { models } = scriptModel({});
    const model = models.createLanguageModel('x');
    const stream = new ReadableStream({ start: (controller) => controller.enqueue(startOfText) });
    for (const doStream of [async () => ({ stream }), () => new Promise<never>(() => undefined)]) {
      model.doStream = doStream;
      const streaming = streamModel(model, { prompt: [] }, 'run-1', giveUp.signal, () => undefined);
      giveUp.abort();
      expect(await streaming).toHaveProperty('error');
    }
  });
});
const startOfText = { type: 'text-start' as const, id: 't' };

describe('an error of a model call', () => {
  test.each([
    [429, true],
    [500, true],
    [503, true],
    [400, false],
    [401, false],
  ])('of status %i is retryable: %s', async (status, isRetryable) => {
    expect((await stream({ error: apiError(status) })).end).toMatchObject({
      error: { statusCode: status, isRetryable },
    });
  });

  test('of the network is retryable', async () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    for (const error of [reset, new TypeError('fetch failed')])
      expect((await stream({ error })).end).toMatchObject({ error: { isRetryable: true } });
  });

  test('of the orchestrator is not a network error: a retry would not help', async () => {
    const error = new MillraceError('message-too-large', 'too large');
    expect((await stream({ error })).end).toMatchObject({ error: { isRetryable: false } });
  });

  test('in mid-stream is an error in every form, and earlier chunks were delivered', async () => {
    const { end, chunks } = await stream({ text: 'Hel', breaksOff: { type: 'server_error', message: 'overloaded' } });
    expect(end).toMatchObject({ error: { message: 'overloaded', isRetryable: true } });
    expect(makeText(chunks)).toBe('Hel');
    const nested = { error: { message: 'slow down', code: 429 } };
    expect((await stream({ breaksOff: nested })).end).toMatchObject({
      error: { message: 'slow down', statusCode: 429, isRetryable: true },
    });
    expect((await stream({ breaksOff: { message: 'bad', code: 'invalid_prompt' } })).end).toMatchObject({
      error: { message: 'bad', isRetryable: false },
    });
  });

  test.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('with the headers %j is retried after %s ms', async (headers, retryAfterMs) => {
    const { end } = await stream({ error: apiError(429, headers) });
    expect('retryAfterMs' in end ? end.retryAfterMs : undefined).toBe(retryAfterMs);
  });

  test('with a date is retried at that time', async () => {
    const headers = { 'retry-after': new Date(Date.now() + 10_000).toUTCString() };
    const { end } = await stream({ error: apiError(503, headers) });
    const waitMs = 'retryAfterMs' in end ? (end.retryAfterMs ?? 0) : 0;
    expect(waitMs).toBeGreaterThan(8_000);
    expect(waitMs).toBeLessThanOrEqual(10_000);
  });
});

test('A provider that quotes the API key in its stream fails the call with an error without the key', async () => {
  const key = 'sk-proj-fedcba9876543210';
  createModels({ apiKey: key });
  const { end } = await stream({ text: 'Hel', breaksOff: { type: 'server_error', message: `bad key ${key}` } });
  expect(end).toMatchObject({ error: { message: 'bad key (hidden credential)' } });
});

describe('a provider that sends for ever', () => {
  const [refused = ''] = sseEvents({ type: 'error', error: { message: 'no', type: 'invalid_request_error' } });
  const [ping = ''] = sseEvents({ type: 'response.in_progress', response: {} });
  test.each([
    ['an event without an end', { start: 'data: {"x":"', piece: 'a'.repeat(65_536) }, 'model-answer-too-large'],
    ['events after an error', { start: refused, piece: ping.repeat(100) }, 'model-call-failed'],
  ])('%s: the call fails and is not retryable, and its connection closes', async (_name, answer, code) => {
    const provider = await startEndlessProvider(answer);
    const models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
    const model = models.createLanguageModel('openai/m', { joinsDeltas: true });
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
    const end = await streamModel(model, { prompt }, 'run-1', never, () => undefined);
    expect(end).toMatchObject({ code, error: { isRetryable: false } });
    await provider.awaitClosed();
    await provider.close();
  });
});
