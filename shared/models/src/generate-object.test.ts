import type { JsonSchema } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createModels, type Models } from './create-models.ts';
import { startTestProvider, type TestProvider } from './testing/test-provider.ts';

const person: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { name: { type: ['string', 'null'] }, age: { type: 'integer' } },
  additionalProperties: false,
};

const { signal: abortSignal } = new AbortController();
let provider: TestProvider;
let models: Models;
const ask = (schema: JsonSchema = person, model = 'openai/gpt-5-mini', abortSignal = new AbortController().signal) =>
  models.generateObject({ model, schema, system: 'Extract.', prompt: 'I am Ada.', abortSignal });

beforeEach(async () => {
  provider = await startTestProvider();
  models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
});
afterEach(() => provider.close());

describe('generateObject', () => {
  test.each(['openai/gpt-5-mini', 'openai-chat/gpt-5-mini'])('%s answers an object of the schema', async (model) => {
    provider.answer(() => ({ name: 'Ada' }));
    expect(await ask(person, model)).toEqual({ name: 'Ada' });
    const sent = JSON.stringify(provider.requests[0]?.body);
    expect(sent).toContain('json_schema');
    expect(sent).toContain('"strict":false');
    expect(sent).toContain('I am Ada.');
  });

  const FORMS = {
    'openai/gpt-5-mini': [
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'high' },
      { type: 'input_file', filename: expect.any(String), file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' },
    ],
    'openai-chat/gpt-5-mini': [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'high' } },
      {
        type: 'file',
        file: { filename: expect.any(String), file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' },
      },
    ],
  };
  test.each(Object.entries(FORMS))('%s receives files in the form of its protocol', async (model, parts) => {
    const files = [
      { mediaType: 'image/png', data: 'iVBORw0KGgo=' },
      { mediaType: 'application/pdf', data: 'JVBERi0xLjQ=' },
    ];
    await models.generateObject({ model, schema: person, system: 'Extract.', prompt: 'I am Ada.', files, abortSignal });
    const { messages, input } = provider.requests[0]?.body ?? {};
    const [, user] = [messages ?? input].flat();
    expect(user).toMatchObject({ role: 'user', content: [{ text: 'I am Ada.' }, ...parts] });
  });

  test('a document that no protocol takes is model-call-failed, before anything is sent', async () => {
    const files = [{ mediaType: 'application/msword', data: 'AAAA' }];
    const asked = models.generateObject({
      model: 'openai/gpt-5-mini',
      schema: person,
      system: '',
      prompt: '',
      files,
      abortSignal,
    });
    await expect(asked).rejects.toMatchObject({ code: 'model-call-failed' });
    expect(provider.requests).toEqual([]);
  });

  test.each([
    ['a wrong type', { age: 'forty' }],
    ['a field too many', { name: 'Ada', secret: 'hunter2' }],
    ['an array', []],
    ['prose', 'Her name is Ada, hunter2.'],
    ['half an object', '{"name": "hunter2'],
    ['nothing', ''],
  ])('%s is extraction-failed, and the message does not quote it', async (_, answer) => {
    provider.answer(() => answer);
    const failure = await ask().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'extraction-failed', message: expect.stringContaining('openai/gpt-5-mini') });
    expect(String(failure)).not.toContain('hunter2');
  });

  const twice = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const levels = Array.from({ length: 29 }, (_, at) => [`level${at}`, twice(`level${at + 1}`)] as const);
  test.each<[string, JsonSchema]>([
    ['a pattern', { type: 'object', properties: { name: { pattern: '^(?=a)(a|a)*$' } } }],
    ['references', { $defs: { ...Object.fromEntries(levels), level29: { type: 'object' } }, ...twice('level0') }],
  ])(
    'The check of an answer against a schema with %s of exponential time ends as extraction-failed',
    async (_, schema) => {
      provider.answer(() => ({ name: `${'a'.repeat(29)}!` }));
      const failure = await ask(schema).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'extraction-failed', message: expect.stringContaining('500 ms') });
    },
  );

  test('An array is rejected as an object, for every schema', async () => {
    provider.answer(() => [1]);
    await expect(ask({})).rejects.toMatchObject({ code: 'extraction-failed' });
  });

  test('a schema that is none is options-invalid, before anything is sent', async () => {
    await expect(ask({ type: 'objekt' })).rejects.toMatchObject({ code: 'options-invalid' });
    expect(provider.requests).toEqual([]);
  });

  test('a refusal of the provider is model-call-failed with its status', async () => {
    provider.fail({ status: 400, message: 'schema too large' });
    await expect(ask()).rejects.toMatchObject({
      code: 'model-call-failed',
      message: expect.stringMatching(/HTTP 400.*schema too large/),
    });
  });

  test('gives up when the signal fires, with its reason', async () => {
    provider.fail('silent');
    const controller = new AbortController();
    const asked = ask(person, 'openai/x', controller.signal);
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(asked).rejects.toThrow('enough');
  });

  test('an unknown model is refused before anything is sent', async () => {
    await expect(async () => ask(person, 'nobody/x')).rejects.toMatchObject({ code: 'model-unknown' });
    expect(provider.requests).toEqual([]);
  });
});
