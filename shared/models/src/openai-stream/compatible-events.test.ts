import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModels } from '../create-models.ts';
import { startByteProvider, type ByteProvider } from '../testing/byte-provider.ts';
import { COMPATIBLE_STREAMS } from '../testing/compatible-streams.ts';
import { OPENAI_STREAMS } from '../testing/openai-streams.ts';
import { createChatRepairer } from './compatible-events.ts';

type Part = LanguageModelV4StreamPart;
let provider: ByteProvider;
beforeAll(async () => {
  provider = await startByteProvider();
});
afterAll(() => provider.close());

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
const encode = (event: object | string) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;

async function readParts(joinsDeltas: boolean, includeRawChunks: boolean): Promise<Part[]> {
  const models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
  const model = models.createLanguageModel('openai-chat/m', { joinsDeltas });
  const { stream } = await model.doStream({ prompt, includeRawChunks });
  const parts: Part[] = [];
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) parts.push(read.value);
  return parts;
}

const joinDeltas = (parts: readonly Part[], type: 'text-delta' | 'reasoning-delta') =>
  parts.map((part) => (part.type === type ? part.delta : '')).join('');

describe.each(Object.entries(COMPATIBLE_STREAMS))('The stream of %s', (_name, stream) => {
  const all = stream.events.map(encode);
  test.each([
    ['joined, in one write', [all.join('')], true, false],
    ['joined, event by event', all, true, false],
    ['unjoined', [all.join('')], false, false],
    ['with raw chunks', all, true, true],
  ] as const)('has its text, reasoning, calls and usage: %s', async (_form, pieces, joinsDeltas, raw) => {
    provider.answer({ pieces });
    const parts = await readParts(joinsDeltas, raw);
    expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
    expect(joinDeltas(parts, 'text-delta')).toBe(stream.text);
    expect(joinDeltas(parts, 'reasoning-delta')).toBe(stream.reasoning ?? '');
    const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [[part.toolName, part.input]] : []));
    expect(calls).toEqual(stream.calls ?? []);
    const end = parts.at(-1);
    if (end?.type !== 'finish') throw new Error('The stream has no finish.');
    const { inputTokens, outputTokens } = end.usage;
    expect([inputTokens.total, outputTokens.total]).toEqual(stream.usage ?? [undefined, undefined]);
    expect(parts.some(({ type }) => type === 'raw')).toBe(raw);
    const order = parts.map(({ type }) => type).filter((type) => /^(reasoning|text)-(start|end)$/.test(type));
    const thought = stream.reasoning === undefined ? [] : ['reasoning-start', 'reasoning-end'];
    expect(order.filter((type) => type.startsWith('reasoning'))).toEqual(thought);
    // The text may be opened by an empty delta before the reasoning, and never ends before it.
    expect(order.indexOf('reasoning-end')).toBeLessThanOrEqual(order.lastIndexOf('text-end'));
  });
});

test('An event in the form of OpenAI stays the same text', () => {
  const events = OPENAI_STREAMS.filter(({ model }) => model.startsWith('openai-chat/')).flatMap((one) => one.events);
  expect(events.length).toBeGreaterThan(100);
  const repair = createChatRepairer();
  for (const event of events) {
    const text = typeof event === 'string' ? event : JSON.stringify(event);
    expect(repair(text)).toBe(text);
  }
});

test('An unknown part of a content array stays, so that the SDK rejects the event by name', async () => {
  const delta = { content: [{ type: 'hologram', data: 'x' }] };
  provider.answer({ pieces: [encode({ choices: [{ index: 0, delta }] })] });
  const parts = await readParts(true, false);
  expect(parts.filter(({ type }) => type === 'error')).toHaveLength(1);
});

test('An error in the form of vLLM is an error of the stream with its message', async () => {
  provider.answer({ pieces: [encode({ object: 'error', message: 'The GPU is lost.', type: 'Internal', code: 500 })] });
  const answer = readParts(true, false).then((parts) => parts.find(({ type }) => type === 'error'));
  const found = await answer.catch((error: unknown) => ({ error }));
  expect(JSON.stringify(found) + String(Object(found).error)).toContain('The GPU is lost.');
});

test('An answer that is no stream may have content as an array of parts', async () => {
  const message = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: '{"a":1}' },
    ],
  };
  const body = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] });
  provider.answer({ headers: { 'content-type': 'application/json' }, pieces: [body] });
  const models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
  const { content } = await models.createLanguageModel('openai-chat/m').doGenerate({ prompt });
  expect(content).toMatchObject([{ type: 'text', text: '{"a":1}' }]);
});
