import type { ModelError } from '@millrace/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModels } from './create-models.ts';
import { toModelError } from './model-error.ts';
import { suggestRemedy } from './provider-remedy.ts';
import { sseEvents, startByteProvider, type ByteAnswer, type ByteProvider } from './testing/byte-provider.ts';

let provider: ByteProvider;
beforeAll(async () => {
  provider = await startByteProvider();
});
afterAll(() => provider.close());

const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hi.' } }] };
const CHAT = 'Write the id of the model as openai-chat/<id>.';
const EITHER = 'If the provider has the model, but no Responses API, write the id of the model as openai-chat/<id>.';
const PATH =
  'Add the path of the provider’s API to its base URL (OPENAI_BASE_URL, GUARD_BASE_URL or EMBEDDING_BASE_URL), usually /v1.';

/** Returns the error of a streamed call, at its start or in its stream. */
async function findError(model: string, baseUrl: string, joinsDeltas: boolean): Promise<ModelError> {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
  try {
    const { stream } = await createModels({ apiKey: 'none', baseUrl })
      .createLanguageModel(model, { joinsDeltas })
      .doStream({ prompt });
    for await (const part of stream) if (part.type === 'error') return toModelError(part.error);
  } catch (error) {
    return toModelError(error);
  }
  throw new Error('The call has no error.');
}

const notFound: ByteAnswer = { status: 404, headers: { 'content-type': 'text/plain' }, pieces: ['404 page not found'] };

describe.each([true, false])('The remedy of a call that joins deltas: %s,', (joins) => {
  test.each<[string, string, ByteAnswer, string]>([
    ['openai/m', '/v1', { pieces: sseEvents(chunk) }, CHAT],
    ['openai/m', '/v1', notFound, EITHER],
    ['openai/m', '', notFound, PATH],
    ['openai-chat/m', '', notFound, PATH],
  ])('to %s at a server with the path "%s"', async (model, path, answer, remedy) => {
    provider.answer(answer);
    const error = await findError(model, provider.baseUrl.replace(/\/v1$/, path), joins);
    expect(suggestRemedy(error)).toBe(remedy);
    expect(error.message).not.toContain('createOpenAI');
  });
});

test.each([400, 429, 500])(
  'A provider keeps its message for the status %d although its body has choices',
  async (status) => {
    const body = { choices: [], error: { message: 'The quota is used up.' } };
    provider.answer({ status, headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(body)] });
    const error = await findError('openai/m', provider.baseUrl, true);
    expect(error).toMatchObject({ message: 'The quota is used up.', statusCode: status });
    expect(suggestRemedy(error)).toBeUndefined();
  },
);

test('A failed embedding and a failed object name the remedy', async () => {
  provider.answer(notFound);
  const { signal } = new AbortController();
  const models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl.replace(/\/v1$/, '') });
  const failure = { code: 'model-call-failed', remedy: PATH };
  await expect(models.createEmbedder('openai/e').embed(['a'], { abortSignal: signal })).rejects.toMatchObject(failure);
  const request = {
    model: 'openai/m',
    schema: { type: 'object' },
    system: 'Extract.',
    prompt: 'Hi',
    abortSignal: signal,
  };
  await expect(models.generateObject(request)).rejects.toMatchObject(failure);
});

test.each<[string, Partial<ModelError>]>([
  ['a model that OpenAI does not have', { url: 'https://api.openai.com/v1/responses', statusCode: 404 }],
  ['a model that a server of chat completions does not have', { url: 'http://a/v1/chat/completions', statusCode: 404 }],
  [
    'a model that a server of the Responses API does not have',
    { url: 'http://a/v1/responses', statusCode: 404, responseBody: '{"error":{"code":"model_not_found"}}' },
  ],
  [
    'a model that a server without a path does not have',
    { url: 'http://a/chat/completions', statusCode: 404, responseBody: '{"error":{"code":"model_not_found"}}' },
  ],
  ['a server that is down', { url: 'http://a/v1/responses', statusCode: 503 }],
  ['an answer that is no event', { url: 'http://a/v1/responses', responseBody: '<html>' }],
  ['an event of the Responses API', { url: 'http://a/v1/responses', responseBody: '{"type":"x","choices":[]}' }],
  ['an error without an address', { statusCode: 404 }],
  ['an error with another address', { url: 'nowhere', statusCode: 404 }],
])('There is no remedy for %s', (_, error) => {
  expect(suggestRemedy({ name: 'Error', message: 'Not Found', isRetryable: false, ...error })).toBeUndefined();
});
