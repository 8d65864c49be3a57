import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createModels, type Models } from './create-models.ts';
import { toModelError } from './model-error.ts';
import { startTestProvider, type TestProvider } from './testing/test-provider.ts';

let provider: TestProvider;
let models: Models;
const abortSignal = new AbortController().signal;

beforeEach(async () => {
  provider = await startTestProvider();
  models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
});
afterEach(() => provider.close());

describe('language models', () => {
  test.each([
    ['openai/gpt-5-mini', '/v1/responses'],
    ['openai-chat/gpt-5-mini', '/v1/chat/completions'],
  ])('%s is asked at %s', async (id, path) => {
    provider.answer(() => 'hello');
    const result = await models.createLanguageModel(id).doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    });
    expect(result.content).toMatchObject([{ type: 'text', text: 'hello' }]);
    expect(provider.requests).toMatchObject([{ path, body: { model: 'gpt-5-mini' } }]);
  });

  test('an unknown provider is refused before anything is sent', () => {
    expect(() => models.createLanguageModel('nobody/x')).toThrow(expect.objectContaining({ code: 'model-unknown' }));
    expect(() => models.createEmbedder('nobody/x')).toThrow(expect.objectContaining({ code: 'model-unknown' }));
    expect(provider.requests).toEqual([]);
  });
});

describe('the error of a provider that quotes the API key', () => {
  const KEY = 'sk-proj-0123456789abcdef';
  const calls: Record<string, (keyed: Models) => Promise<unknown>> = {
    'a stream': async (keyed) => {
      try {
        return await keyed.createLanguageModel('openai-chat/m', { joinsDeltas: true }).doStream({ prompt: [] });
      } catch (error) {
        throw Object.assign(new Error('called'), toModelError(error));
      }
    },
    embeddings: (keyed) => keyed.createEmbedder('openai/m').embed(['text'], { abortSignal }),
    'an object': (keyed) =>
      keyed.generateObject({ model: 'openai/m', schema: { type: 'object' }, system: 's', prompt: 'p', abortSignal }),
  };
  test.each(Object.entries(calls))('shows no key: %s', async (_name, call) => {
    provider.fail({ status: 401, message: `Incorrect API key provided: ${KEY}.` });
    const error: unknown = await call(createModels({ apiKey: KEY, baseUrl: provider.baseUrl })).catch(
      (thrown: unknown) => thrown,
    );
    const { message, responseBody = '' } = Object(error);
    expect(message).toContain('Incorrect API key provided: (hidden credential).');
    expect(`${message} ${responseBody}`).not.toContain(KEY);
  });
});

describe('embedder', () => {
  test('embeds many texts in one request, in order', async () => {
    const embedder = models.createEmbedder('openai/text-embedding-3-small');
    const [first, second] = await embedder.embed(['the cat', 'a dog'], { abortSignal });
    const [alone] = await embedder.embed(['a dog'], { abortSignal });
    expect(provider.requests).toHaveLength(2);
    expect(second).toEqual(alone);
    expect(first).not.toEqual(second);
    expect(embedder.id).toBe('openai/text-embedding-3-small');
  });

  test('no text, no request', async () => {
    expect(await models.createEmbedder('openai/x').embed([], { abortSignal })).toEqual([]);
    expect(provider.requests).toEqual([]);
  });

  test('is tried again when the provider is busy', async () => {
    provider.fail(
      { status: 429, headers: { 'retry-after-ms': '1' } },
      { status: 503, headers: { 'retry-after-ms': '1' } },
    );
    expect(await models.createEmbedder('openai/x').embed(['text'], { abortSignal })).toHaveLength(1);
    expect(provider.requests).toHaveLength(3);
  });

  test("A rejected call is model-call-failed with the provider's message", async () => {
    provider.fail({ status: 401, message: 'no such key' });
    await expect(models.createEmbedder('openai/x').embed(['text'], { abortSignal })).rejects.toMatchObject({
      code: 'model-call-failed',
      message: expect.stringContaining('no such key'),
    });
    expect(provider.requests).toHaveLength(1);
  });

  test('gives up when the signal fires, with its reason', async () => {
    provider.fail('silent');
    const controller = new AbortController();
    const embedding = models.createEmbedder('openai/x').embed(['text'], { abortSignal: controller.signal });
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(embedding).rejects.toThrow('enough');
  });
});
