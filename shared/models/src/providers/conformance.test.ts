// The same tests for the protocol of each provider: what a stream gives, what a request sends, and the cause of each failure.
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, onTestFinished, describe, test } from 'vitest';
import { classifyFailure } from '../classify-failure.ts';
import { createModels } from '../create-models.ts';
import { readCallCode, toModelError } from '../model-error.ts';
import { startByteProvider, type ByteAnswer } from '../testing/byte-provider.ts';
import { STREAM_SIGNATURE, STREAM_USAGE, streamAnswer } from '../testing/provider-streams.ts';
import { providerKindSchema, type Provider } from './provider-config.ts';

type Kind = Provider['kind'];
const KINDS = providerKindSchema.options;
const ASK: LanguageModelV4CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }] };

async function openProvider(kind: Kind, ...answers: ByteAnswer[]) {
  const server = await startByteProvider();
  onTestFinished(() => server.close());
  server.answer(...answers);
  const provider: Provider = {
    kind,
    baseUrl: server.baseUrl,
    apiKey: 'sk-conformance-0123',
    headers: { 'x-team': 'a' },
    promptCache: true,
  };
  return {
    server,
    model: createModels({ providers: new Map([['p', provider]]) }).createLanguageModel('p/m', { joinsDeltas: true }),
  };
}

async function readStream(kind: Kind, answer: ByteAnswer, options = ASK) {
  const { server, model } = await openProvider(kind, answer);
  const parts: LanguageModelV4StreamPart[] = [];
  const { stream } = await model.doStream(options);
  for await (const part of stream) parts.push(part);
  return { server, parts };
}

const join = (parts: readonly LanguageModelV4StreamPart[], type: 'text-delta' | 'reasoning-delta') =>
  parts.flatMap((part) => (part.type === type ? [part.delta] : [])).join('');

describe.each(KINDS)('%s', (kind) => {
  test('Text, reasoning and the usage of a stream arrive as the provider sends them', async () => {
    const body = streamAnswer(kind, { reasoning: 'Let me see. ', text: 'Hello from the model.' });
    const { parts, server } = await readStream(kind, { pieces: body });
    expect(join(parts, 'text-delta')).toBe('Hello from the model.');
    expect(join(parts, 'reasoning-delta')).toBe('Let me see. ');
    const finish = parts.find((part) => part.type === 'finish');
    expect(finish).toMatchObject({
      finishReason: { unified: 'stop' },
      usage: {
        inputTokens: { total: STREAM_USAGE.inputTokens, cacheRead: STREAM_USAGE.cachedInputTokens },
        outputTokens: { total: STREAM_USAGE.outputTokens },
      },
    });
    expect(server.requests[0]).toMatchObject({ 'x-team': 'a' });
    expect(JSON.stringify(server.requests[0])).toContain('sk-conformance-0123');
  });

  // Chat completions sign no reasoning.
  test.skipIf(kind === 'openai-compatible')('The signature of reasoning arrives with one of its parts', async () => {
    const { parts } = await readStream(kind, { pieces: streamAnswer(kind, { reasoning: 'Let me see.', text: 'Hi.' }) });
    const signed = parts.filter(
      (part) => part.type.startsWith('reasoning') && JSON.stringify(part).includes(STREAM_SIGNATURE),
    );
    expect(signed.length).toBeGreaterThan(0);
  });

  test('A call of a tool has its id, its name and its arguments', async () => {
    const call = { id: 'call_7', name: 'clock', args: { zone: 'UTC' } };
    const tools = [
      { type: 'function' as const, name: 'clock', description: 'The time.', inputSchema: { type: 'object' as const } },
    ];
    const { parts } = await readStream(kind, { pieces: streamAnswer(kind, { call }) }, { ...ASK, tools });
    const made = parts.find((part) => part.type === 'tool-call');
    expect(made).toMatchObject({ toolName: 'clock' });
    expect(JSON.parse(made?.type === 'tool-call' ? made.input : '')).toEqual({ zone: 'UTC' });
    expect(parts.find((part) => part.type === 'finish')).toMatchObject({ finishReason: { unified: 'tool-calls' } });
  });

  test.each<[number, string]>([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [429, 'throttled'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [404, 'invalid'],
  ])('The status %i has the cause %s', async (status, cause) => {
    const body = JSON.stringify({ type: 'error', error: { type: 'x', code: status, status: 'X', message: 'as told' } });
    const { model } = await openProvider(kind, {
      status,
      headers: { 'content-type': 'application/json' },
      pieces: [body],
    });
    const error: unknown = await model.doStream(ASK).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(classifyFailure(toModelError(error), readCallCode(error))).toBe(cause);
  });

  test('A page of HTML with the status of an error keeps the status', async () => {
    const { model } = await openProvider(kind, {
      status: 502,
      headers: { 'content-type': 'text/html' },
      pieces: ['<html>'],
    });
    const error: unknown = await model.doStream(ASK).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(classifyFailure(toModelError(error))).toBe('unavailable');
  });

  test('A stream that is cut off never has the finish reason of a whole answer', async () => {
    const { parts } = await readStream(kind, { pieces: streamAnswer(kind, { text: 'Half of the', isCut: true }) });
    const finish = parts.find((part) => part.type === 'finish');
    const isFailed = parts.some((part) => part.type === 'error');
    expect(isFailed || finish?.type !== 'finish' || finish.finishReason.raw === undefined).toBe(true);
    expect(finish?.type === 'finish' ? finish.finishReason.unified : 'none').not.toBe('stop');
  });

  test('An event that is no JSON is an error of the stream', async () => {
    const [first = '', ...others] = streamAnswer(kind, { text: 'One two three.' });
    const { parts } = await readStream(kind, { pieces: [first, 'data: {"broken\n\n', ...others] });
    const failed = parts.find((part) => part.type === 'error');
    expect(failed && classifyFailure(toModelError(failed.type === 'error' ? failed.error : undefined))).toBe(
      'malformed',
    );
  });
});
