// Answers with a body that ends early, and normal ends, over real HTTP and both of OpenAI's protocols.
import type { Chunk } from '@millrace/contracts';
import { createModels } from '@millrace/models';
import { sseEvents, startByteProvider, type ByteAnswer, type ByteProvider } from '@millrace/models/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeText } from '../testing/chunks.ts';
import { streamModel } from './model-stream.ts';

let provider: ByteProvider;
beforeAll(async () => {
  provider = await startByteProvider();
});
afterAll(() => provider.close());

async function ask(model: string, answer: ByteAnswer) {
  provider.answer(answer);
  const chunks: Chunk[] = [];
  const { createLanguageModel } = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
  const { signal } = new AbortController();
  const take = (some: Chunk[]) => void chunks.push(...some);
  const joining = createLanguageModel(model, { joinsDeltas: true });
  const end = await streamModel(joining, { prompt: [] }, 'run-1', signal, take);
  return { end, text: makeText(chunks) };
}

const html: ByteAnswer = {
  headers: { 'content-type': 'text/html' },
  pieces: ['<!doctype html><html><body>Maintenance</body></html>'],
};
const empty: ByteAnswer = { pieces: [] };
const onlyDone: ByteAnswer = { pieces: ['data: [DONE]\n\n'] };

const chatHead = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chat = (delta: object, finish_reason: string | null = null) => ({
  ...chatHead,
  choices: [{ index: 0, delta, finish_reason }],
});
const usage = { ...chatHead, choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };
const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } };

const response = { id: 'r1', created_at: 1, model: 'm' };
const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
const makeSaid = (delta: string) => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index: 0,
  content_index: 0,
  delta,
  logprobs: [],
});
const begun = [
  { type: 'response.created', response },
  { type: 'response.output_item.added', output_index: 0, item },
];
const counted = { input_tokens: 3, output_tokens: 2 };
const done = { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } };
const makeEnd = (type: string, reason?: string) => ({
  type,
  response: { ...response, usage: counted, incomplete_details: reason === undefined ? null : { reason } },
});

describe.each([
  ['openai-chat/m', sseEvents(chat({ role: 'assistant', content: 'The dose' }), chat({ content: ' is 5' }))],
  ['openai/m', sseEvents(...begun, makeSaid('The dose'), makeSaid(' is 5'))],
])('a provider of %s', (model, cut) => {
  test.each([
    ['HTML with status 200', html, ''],
    ['an empty body', empty, ''],
    ['only [DONE]', onlyDone, ''],
    ['a stream that ends cleanly in mid-sentence', { pieces: cut }, 'The dose is 5'],
    ['the same before [DONE]', { pieces: [...cut, ...onlyDone.pieces] }, 'The dose is 5'],
  ])('that answers with %s has failed, and may be asked again', async (_, answer, text) => {
    const asked = await ask(model, answer);
    expect(asked.end).toMatchObject({
      error: { message: expect.stringContaining('without a finish reason'), isRetryable: true },
    });
    expect(asked.text).toBe(text);
  });

  test('that loses its connection has failed, and may be asked again', async () => {
    const { end } = await ask(model, { pieces: cut, isCut: true, everyMs: 1 });
    expect(end).toMatchObject({ error: { isRetryable: true } });
  });
});

describe('a chat completion', () => {
  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['tool_calls', 'tool-calls'],
    ['a-new-reason', 'other'],
  ])('with the finish reason %s ends normally', async (raw, finishReason) => {
    const more = raw === 'tool_calls' ? [chat({ tool_calls: [call] })] : [];
    const { end } = await ask('openai-chat/m', {
      pieces: sseEvents(chat({ content: 'Hi' }), ...more, chat({}, raw), usage),
    });
    expect(end).toMatchObject({ finishReason, usage: { totalTokens: 5 } });
  });
});

describe('a response', () => {
  test.each([
    ['response.completed', undefined, 'stop'],
    ['response.incomplete', 'max_output_tokens', 'length'],
    ['response.incomplete', 'content_filter', 'content-filter'],
  ])('with %s for the reason %s ends normally', async (type, reason, finishReason) => {
    const { end } = await ask('openai/m', { pieces: sseEvents(...begun, makeSaid('Hi'), done, makeEnd(type, reason)) });
    expect(end).toMatchObject({ finishReason, usage: { totalTokens: 5 } });
  });

  test('with a function call ends normally', async () => {
    const calling = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'clock', arguments: '{}' };
    const { end } = await ask('openai/m', {
      pieces: sseEvents(
        { type: 'response.created', response },
        { type: 'response.output_item.added', output_index: 0, item: { ...calling, arguments: '' } },
        { type: 'response.output_item.done', output_index: 0, item: { ...calling, status: 'completed' } },
        makeEnd('response.completed'),
      ),
    });
    expect(end).toMatchObject({ finishReason: 'tool-calls' });
  });
});
