// Reasoning: part of a response; in chat completions only where the client knows the convention of compatible servers.
import { expect, test } from 'vitest';
import { deltasOf, devModelUnderTest, partOf, partsOf, scripted } from '../testing/dev-model-under-test.ts';

const { openai, post } = await devModelUnderTest();
const script = scripted([{ reasoning: 'First I think.', text: 'Then I speak.', chunkSize: 5 }]);

test('streams as a reasoning part that ends before the text begins', async () => {
  const parts = await partsOf((await openai.responses('gpt-5-mini').doStream(script)).stream);
  expect(deltasOf(parts, 'reasoning-delta')).toEqual(['First', ' I th', 'ink.']);
  const order = parts.map((part) => part.type).filter((type) => /^(reasoning|text)-(start|end)$/.test(type));
  expect(order).toEqual(['reasoning-start', 'reasoning-end', 'text-start', 'text-end']);
  expect(partOf(parts, 'finish').usage.outputTokens).toMatchObject({ reasoning: 4, text: 4, total: 8 });
});

test('ends its part also for a client that does not store, which waits for the encrypted content', async () => {
  const options = { ...script, providerOptions: { openai: { store: false } } };
  const parts = await partsOf((await openai.responses('gpt-5-mini').doStream(options)).stream);
  expect(parts.filter((part) => part.type === 'reasoning-end')).toHaveLength(1);
  const end = partOf(parts, 'reasoning-end');
  expect(end.providerMetadata?.['openai']?.['reasoningEncryptedContent']).toBe('dev-model');
});

test('is a reasoning content of a whole response', async () => {
  const { content } = await openai.responses('gpt-5-mini').doGenerate(script);
  expect(content.map((part) => ('text' in part ? [part.type, part.text] : part.type))).toEqual([
    ['reasoning', 'First I think.'],
    ['text', 'Then I speak.'],
  ]);
});

test('is reasoning_content in chat completions, which the OpenAI client passes over', async () => {
  const parts = await partsOf((await openai.chat('gpt-4o').doStream(script)).stream);
  expect(deltasOf(parts, 'text-delta').join('')).toBe('Then I speak.');

  const body = { model: 'any', messages: [{ role: 'user', content: '```script [{"reasoning":"Hm."}] ```' }] };
  const whole: unknown = await (await post('/v1/chat/completions', body, script.headers)).json();
  expect(whole).toMatchObject({ choices: [{ message: { reasoning_content: 'Hm.', content: '' } }] });
  const stream = await (await post('/v1/chat/completions', { ...body, stream: true }, script.headers)).text();
  expect(stream).toContain('"delta":{"reasoning_content":"Hm."}');
});
