import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { expect, onTestFinished, test } from 'vitest';
import { createModels } from '../create-models.ts';
import { startByteProvider } from '../testing/byte-provider.ts';
import { streamAnswer } from '../testing/provider-streams.ts';

const say = (role: 'user' | 'assistant', text: string) => ({ role, content: [{ type: 'text' as const, text }] });
const PROMPT: LanguageModelV4Prompt = [
  { role: 'system', content: 'Answer.' },
  { role: 'system', content: 'Be brief.' },
  say('user', 'First?'),
  say('assistant', 'First.'),
  say('user', 'Second?'),
];

async function readBody(
  promptCache: boolean,
  prompt = PROMPT,
): Promise<{ system: object[]; messages: { content: object[] }[] }> {
  const server = await startByteProvider();
  onTestFinished(() => server.close());
  server.answer({ pieces: streamAnswer('anthropic', { text: 'Yes.' }) });
  const provider = { kind: 'anthropic' as const, baseUrl: server.baseUrl, apiKey: 'k', headers: {}, promptCache };
  const model = createModels({ providers: new Map([['a', provider]]) }).createLanguageModel('a/m');
  await (await model.doStream({ prompt })).stream.cancel();
  return JSON.parse(server.bodies[0] ?? '');
}

test('Anthropic receives cache points at the end of the instructions and of the history, and nowhere else', async () => {
  const { system, messages } = await readBody(true);
  const marks = [...system, ...messages.flatMap(({ content }) => content)].map((part) => 'cache_control' in part);
  expect(marks).toEqual([false, true, false, false, true]);
});

test('A provider with promptCache false receives none, and a prompt with a mark of its own keeps that one alone', async () => {
  expect(JSON.stringify(await readBody(false))).not.toContain('cache_control');
  const own = PROMPT.map((message, at) =>
    at === 2 ? { ...message, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } : message,
  );
  expect(JSON.stringify(await readBody(true, own)).match(/cache_control/g)).toHaveLength(1);
});
