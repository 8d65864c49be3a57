// Reasoning: part of a response; in chat completions only for clients that know the convention of compatible servers.
import { expect, test } from 'vitest';
import {
  listDeltas,
  startDevModelUnderTest,
  findPart,
  collectParts,
  makeScriptedCall,
} from '../testing/dev-model-under-test.ts';

const { openai, post } = await startDevModelUnderTest();
const script = makeScriptedCall([{ reasoning: 'First I think.', text: 'Then I speak.', chunkSize: 5 }]);

test('reasoning streams as a part that ends before the text starts', async () => {
  const parts = await collectParts((await openai.responses('gpt-5-mini').doStream(script)).stream);
  expect(listDeltas(parts, 'reasoning-delta')).toEqual(['First', ' I th', 'ink.']);
  const order = parts.map((part) => part.type).filter((type) => /^(reasoning|text)-(start|end)$/.test(type));
  expect(order).toEqual(['reasoning-start', 'reasoning-end', 'text-start', 'text-end']);
  expect(findPart(parts, 'finish').usage.outputTokens).toMatchObject({ reasoning: 4, text: 4, total: 8 });
});

test('the reasoning part also ends for a client that does not store and waits for the encrypted content', async () => {
  const options = { ...script, providerOptions: { openai: { store: false } } };
  const parts = await collectParts((await openai.responses('gpt-5-mini').doStream(options)).stream);
  expect(parts.filter((part) => part.type === 'reasoning-end')).toHaveLength(1);
  const end = findPart(parts, 'reasoning-end');
  expect(end.providerMetadata?.['openai']?.['reasoningEncryptedContent']).toMatch(/^dev-model\./);
});

test('reasoning is a content of a response without streaming', async () => {
  const { content } = await openai.responses('gpt-5-mini').doGenerate(script);
  expect(content.map((part) => ('text' in part ? [part.type, part.text] : part.type))).toEqual([
    ['reasoning', 'First I think.'],
    ['text', 'Then I speak.'],
  ]);
});

test('reasoning is reasoning_content in chat completions, which the OpenAI client ignores', async () => {
  const parts = await collectParts((await openai.chat('gpt-4o').doStream(script)).stream);
  expect(listDeltas(parts, 'text-delta').join('')).toBe('Then I speak.');

  const body = { model: 'any', messages: [{ role: 'user', content: '```script [{"reasoning":"Hm."}] ```' }] };
  const whole: unknown = await (await post('/v1/chat/completions', body, script.headers)).json();
  expect(whole).toMatchObject({ choices: [{ message: { reasoning_content: 'Hm.', content: '' } }] });
  const stream = await (await post('/v1/chat/completions', { ...body, stream: true }, script.headers)).text();
  expect(stream).toContain('"delta":{"reasoning_content":"Hm."}');
});
