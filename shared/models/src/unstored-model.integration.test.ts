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
const call = (joinsDeltas: boolean) =>
  createModels({ apiKey: 'none', baseUrl: provider.baseUrl })
    .createLanguageModel('openai/gpt-5', { joinsDeltas })
    .doStream({ prompt });
const listItems = ({ request }: Awaited<ReturnType<typeof call>>): unknown => request?.body;

test.each([true, false])(
  'A call whose reasoning the provider refuses is repeated without it (reads past the SDK: %s)',
  async (joins) => {
    for (const refused of [
      refuse('invalid_encrypted_content', 'The encrypted content abc could not be verified.'),
      refuse('invalid_value', "Item 'rs_1' of type 'reasoning' was provided without its required following item."),
    ]) {
      provider.requests.length = 0;
      provider.answer(refused, answered);
      const result = await call(joins);
      await result.stream.cancel();
      expect(provider.requests).toHaveLength(2);
      expect(JSON.stringify(listItems(result))).not.toContain('rs_1');
    }
  },
);

test('Another refusal is not repeated, and reasoning that the provider accepts is sent once', async () => {
  provider.requests.length = 0;
  provider.answer(refuse('invalid_value', "Invalid 'temperature'."), answered);
  await expect(call(true)).rejects.toMatchObject({ statusCode: 400 });
  const result = await call(true);
  await result.stream.cancel();
  expect(provider.requests).toHaveLength(2);
  expect(listItems(result)).toMatchObject({
    input: [{ role: 'user' }, { type: 'reasoning', id: 'rs_1', encrypted_content: 'abc' }, { role: 'assistant' }],
  });
});
