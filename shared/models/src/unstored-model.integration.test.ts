// The repetition of a refused call, against a server that refuses the first request.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModels } from './create-models.ts';
import { startByteProvider, sseEvents, type ByteAnswer, type ByteProvider } from './testing/byte-provider.ts';

let provider: ByteProvider;
beforeAll(async () => {
  provider = await startByteProvider();
});
afterAll(() => provider.close());

const reasoning = {
  type: 'reasoning' as const,
  text: 'Hm.',
  providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'abc' } },
};
const prompt = [
  { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] },
  { role: 'assistant' as const, content: [reasoning, { type: 'text' as const, text: 'Hello.' }] },
];
const refuse = (code: string, message: string): ByteAnswer => ({
  status: 400,
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify({ error: { message, type: 'invalid_request_error', code, param: null } })],
});
const answered: ByteAnswer = {
  pieces: sseEvents({ type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } }),
};
const generated: ByteAnswer = {
  headers: { 'content-type': 'application/json' },
  pieces: [
    JSON.stringify({ id: 'r', created_at: 1, model: 'm', output: [], usage: { input_tokens: 1, output_tokens: 1 } }),
  ],
};
const createModel = (joinsDeltas = true) =>
  createModels({ apiKey: 'none', baseUrl: provider.baseUrl }).createLanguageModel('openai/gpt-5', { joinsDeltas });
const call = (joinsDeltas = true) => createModel(joinsDeltas).doStream({ prompt });
async function readWarnings({ stream }: Awaited<ReturnType<typeof call>>): Promise<unknown> {
  const parts = await Array.fromAsync(stream);
  return parts.find((part) => part.type === 'stream-start')?.warnings;
}
const foreign = refuse('invalid_encrypted_content', 'The encrypted content abc could not be verified.');
const dropped = { type: 'other', message: expect.stringContaining('repeated without it') };

test.each([true, false])(
  'A call is repeated without its reasoning, with a warning, if the provider refuses it (joined deltas: %s)',
  async (joins) => {
    for (const refused of [
      foreign,
      refuse('invalid_value', "Item 'rs_1' of type 'reasoning' was provided without its required following item."),
    ]) {
      provider.requests.length = 0;
      provider.answer(refused, answered);
      const result = await call(joins);
      expect(await readWarnings(result)).toEqual([dropped]);
      expect(provider.requests).toHaveLength(2);
      expect(JSON.stringify(result.request?.body)).not.toContain('rs_1');
    }
  },
);

test('An answer that is generated as a whole has the warning of the repeated call', async () => {
  provider.answer(foreign, generated);
  expect((await createModel().doGenerate({ prompt })).warnings).toEqual([dropped]);
  provider.answer(generated);
  expect((await createModel().doGenerate({ prompt })).warnings).toEqual([]);
});

test('A call is repeated once if the provider refuses it without its reasoning too', async () => {
  provider.requests.length = 0;
  provider.answer(foreign);
  await expect(call()).rejects.toMatchObject({ statusCode: 400 });
  expect(provider.requests).toHaveLength(2);
});

test('A stream that breaks off after its first part ends with an error and is not repeated', async () => {
  provider.requests.length = 0;
  const refusal = {
    type: 'error',
    error: { type: 'invalid_request_error', code: 'invalid_encrypted_content', message: 'encrypted content' },
  };
  provider.answer({ pieces: [...answered.pieces, ...sseEvents(refusal)] });
  const { stream } = await call();
  expect(await Array.fromAsync(stream)).toContainEqual(expect.objectContaining({ type: 'error' }));
  expect(provider.requests).toHaveLength(1);
});

test('A call is sent once if its refusal has another reason, or if the provider accepts its reasoning', async () => {
  provider.requests.length = 0;
  provider.answer(refuse('invalid_value', "Invalid 'temperature'."), answered);
  await expect(call()).rejects.toMatchObject({ statusCode: 400 });
  const result = await call();
  expect(await readWarnings(result)).toEqual([]);
  expect(provider.requests).toHaveLength(2);
  expect(result.request?.body).toMatchObject({
    input: [{ role: 'user' }, { type: 'reasoning', id: 'rs_1', encrypted_content: 'abc' }, { role: 'assistant' }],
  });
});
