import type { Chunk, JsonValue } from '@millrace/contracts';
import { TEST_RUN } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { listStrings, mapStrings } from '../message-list/map-strings.ts';
import { toBareDelta, mapChunkText, mapChunkValues } from './chunk-text.ts';

const base = { runId: TEST_RUN.runId, from: 'AGENT' as const };
const upper = (text: string) => text.toUpperCase();
const call = { toolCallId: 'id', toolName: 'name' };

test('An unknown type of chunk is text, also a type that is a member name of every object', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the "other" types of the chunk schema
  const chunk = (text: string) => ({ type: 'toString', ...base, payload: { text } }) as unknown as Chunk;
  expect(mapChunkText(chunk('x'), upper)).toEqual(chunk('X'));
});

describe('mapChunkText maps every text field and nothing more', () => {
  const chunks: Chunk[] = [
    { type: 'tool-call', ...base, payload: { ...call, args: { a: ['x', 1] } } },
    { type: 'tool-result', ...base, payload: { ...call, result: { b: 'x' }, args: 'x' } },
    { type: 'tool-error', ...base, payload: { ...call, error: 'x' } },
    { type: 'tool-output', ...base, payload: { output: ['x'] } },
    { type: 'tripwire', ...base, payload: { reason: 'x', processorId: 'guard' } },
    { type: 'source', ...base, payload: { id: 'x', sourceType: 'url', title: 'x', url: 'x' } },
    { type: 'error', ...base, payload: { error: { message: 'x' } } },
    { type: 'object', ...base, object: { deep: { text: 'x' } } },
    { type: 'object-result', ...base, object: 'x' },
    { type: 'tool-output-denied', ...base, payload: { ...call, reason: 'x', code: 'x' } },
    { type: 'file', ...base, payload: { data: 'eA==', mimeType: 'text/plain', filename: 'x.txt' } },
    {
      type: 'finish',
      ...base,
      payload: { stepResult: { reason: 'x' }, output: { text: 'x' }, messages: [{ content: 'x' }] },
    },
  ];
  const textFields: Record<string, JsonValue> = {
    'tool-call': { ...call, args: { a: ['X', 1] } },
    'tool-result': { ...call, result: { b: 'X' }, args: 'X' },
    'tool-error': { ...call, error: 'X' },
    'tool-output': { output: ['X'] },
    source: { id: 'X', sourceType: 'url', title: 'X', url: 'X' },
    tripwire: { reason: 'X', processorId: 'guard' },
    error: { error: { message: 'X' } },
    object: { deep: { text: 'X' } },
    'object-result': 'X',
    'tool-output-denied': { ...call, reason: 'X', code: 'x' },
    file: { data: 'WA==', mimeType: 'text/plain', filename: 'X.TXT' },
    finish: { stepResult: { reason: 'x' }, output: { text: 'X' }, messages: [{ content: 'X' }] },
  };
  test.each(chunks)('$type', (chunk) => {
    const mapped = mapChunkText(chunk, upper);
    expect('payload' in mapped ? mapped.payload : 'object' in mapped && mapped.object).toEqual(textFields[chunk.type]);
    expect(mapped).toMatchObject({ ...base, type: chunk.type });
  });
});

test('mapChunkText maps the data of a custom chunk and all of its additional members', () => {
  const custom = (more: object): Chunk => JSON.parse(JSON.stringify({ type: 'data-note', ...base, ...more }));
  expect(mapChunkText(custom({ data: { a: ['x', 1] } }), upper)).toEqual(custom({ data: { a: ['X', 1] } }));
  expect(mapChunkText(custom({ data: 'x', note: { b: 'x' } }), upper)).toEqual(custom({ data: 'X', note: { b: 'X' } }));
});

test('mapChunkValues maps unknown member names of a custom chunk together with their values, and keeps those that became the same', () => {
  const custom = (more: object): Chunk => JSON.parse(JSON.stringify({ type: 'data-note', ...base, ...more }));
  const mapNames = (value: JsonValue): JsonValue => JSON.parse(JSON.stringify(value).replaceAll(/ada|bob/g, '*'));
  expect(mapChunkValues(custom({ data: {}, id: 'ada', ada: 'x', bob: true }), mapNames)).toEqual(
    custom({ data: {}, id: 'ada', '*': 'x', '* ii': true }),
  );
  expect(mapChunkValues(custom({ id: 'ada x', transient: { ada: 1 } }), mapNames)).toEqual(
    custom({ id: '* x', transient: { '*': 1 } }),
  );
});

test('mapChunkText returns the same object if nothing changes', () => {
  const chunk: Chunk = { type: 'tool-call', ...base, payload: { ...call, args: { a: 'X' } } };
  expect(mapChunkText(chunk, upper)).toBe(chunk);
});

test('mapChunkText skips deltas: hold-back handles them', () => {
  const chunk: Chunk = { type: 'text-delta', ...base, payload: { id: 't', text: 'x' } };
  expect(mapChunkText(chunk, upper)).toBe(chunk);
});

test('mapStrings maps all strings inside JSON in order and keeps keys', () => {
  const value = { a: 'x', b: [1, null, 'y', { c: 'z' }] };
  expect(mapStrings(value, upper)).toEqual({ a: 'X', b: [1, null, 'Y', { c: 'Z' }] });
  expect(listStrings(value)).toEqual(['x', 'y', 'z']);
  expect(listStrings(undefined)).toEqual([]);
});

test('mapChunkText keeps ids and names of a finish and maps its other strings', () => {
  const invocation = {
    state: 'result',
    toolCallId: 'secret-1',
    toolName: 'secret',
    args: { id: 'secret' },
    result: ['secret'],
  };
  const parts = [
    { type: 'text', text: 'a secret' },
    { type: 'tool-invocation', toolInvocation: invocation },
  ];
  const message = { id: 'secret.0', role: 'assistant', createdAt: 'now', content: { format: 2, parts } };
  const payload = { stepResult: { reason: 'stop' }, output: { text: 'a secret' }, messages: [message] };
  const mapped = mapChunkText({ type: 'finish', runId: 'r', from: 'AGENT', payload }, (text) =>
    text.replaceAll('secret', '*'),
  );
  expect(mapped).toMatchObject({
    payload: {
      output: { text: 'a *' },
      messages: [
        {
          id: 'secret.0',
          content: {
            parts: [
              { text: 'a *' },
              { toolInvocation: { toolCallId: 'secret-1', toolName: 'secret', args: { id: '*' }, result: ['*'] } },
            ],
          },
        },
      ],
    },
  });
});

describe('fields that are text by default', () => {
  const mapPayload = (type: string, payload: unknown): unknown => {
    const chunk: Chunk = JSON.parse(JSON.stringify({ type, ...base, payload }));
    const mapped = mapChunkText(chunk, upper);
    return 'payload' in mapped && mapped.payload;
  };

  test.each([
    ['an unknown type', 'brand-new', { note: 'x', id: 'x' }, { note: 'X', id: 'x' }],
    ['a payload that is a text', 'brand-new', 'x', 'X'],
    ['a payload that is a list', 'brand-new', ['x', { note: 'x' }], ['X', { note: 'X' }]],
    ['the name of a piece of arguments, in another chunk', 'brand-new', { argsTextDelta: 'x' }, { argsTextDelta: 'X' }],
    ['an unknown member', 'text-start', { id: 'x', note: 'x' }, { id: 'x', note: 'X' }],
    [
      'references at the end of a text',
      'text-end',
      { id: 'x', citations: [{ citedText: 'x', source: { id: 'x', title: 'x' } }] },
      { id: 'x', citations: [{ citedText: 'X', source: { id: 'X', title: 'X' } }] },
    ],
    [
      'metadata of the provider, except its ids',
      'text-start',
      { id: 'x', providerMetadata: { openai: { itemId: 'x', annotations: [{ type: 'x', title: 'x' }] } } },
      { id: 'x', providerMetadata: { openai: { itemId: 'x', annotations: [{ type: 'x', title: 'X' }] } } },
    ],
    [
      'warnings',
      'step-start',
      { messageId: 'x', warnings: [{ type: 'x', message: 'x' }] },
      { messageId: 'x', warnings: [{ type: 'x', message: 'X' }] },
    ],
    ['raw data', 'raw', { choices: [{ delta: 'x' }] }, { choices: [{ delta: 'X' }] }],
    ['a workflow’s state', 'watch', { workflowState: { said: 'x' } }, { workflowState: { said: 'X' } }],
    [
      'a URL in the place of bytes',
      'reasoning-file',
      { data: 'https://x', mimeType: 'image/png' },
      { data: 'HTTPS://X', mimeType: 'image/png' },
    ],
    [
      'a media type that is not known',
      'file',
      { data: 'eA==', mimeType: 'image/x' },
      { data: 'eA==', mimeType: 'IMAGE/X' },
    ],
    ['a member of structure that holds words', 'brand-new', { kind: 'x y', model: 'x' }, { kind: 'X Y', model: 'x' }],
    [
      'a date, a media type and a call id of another form',
      'finish',
      { messages: [{ createdAt: 'x', mimeType: 'x', toolCallId: 'x y' }], output: {}, stepResult: { reason: 'x' } },
      { messages: [{ createdAt: 'X', mimeType: 'X', toolCallId: 'X Y' }], output: {}, stepResult: { reason: 'x' } },
    ],
    [
      'the reason of a tripwire, and not that of an end',
      'step-finish',
      { stepResult: { reason: 'x', note: 'x' } },
      { stepResult: { reason: 'x', note: 'X' } },
    ],
    [
      'a response but its id and model',
      'finish',
      { response: { id: 'x', modelId: 'x', body: 'x' }, output: {}, messages: [], stepResult: { reason: 'x' } },
      { response: { id: 'x', modelId: 'x', body: 'X' }, output: {}, messages: [], stepResult: { reason: 'x' } },
    ],
  ])('mapChunkText maps the field: %s', (_what, type, payload, expected) => {
    expect(mapPayload(type, payload)).toEqual(expected);
  });

  test.each([
    ['text/markdown', 'x', 'X'],
    ['application/json', '{"x":"x"}', '{"X":"X"}'],
    ['application/ld+json', 'x', 'X'],
  ])('mapChunkText maps the text of a file of type %s', (mimeType, text, expected) => {
    const toBase64 = (value: string) => Buffer.from(value).toString('base64');
    const part = { type: 'file', mimeType, data: toBase64(text) };
    const mapped = { ...part, data: toBase64(expected) };
    expect(mapPayload('reasoning-file', part)).toEqual({ ...mapped, type: 'file' });
    const finish = (given: object) => ({ messages: [{ parts: [given] }], output: {}, stepResult: {} });
    expect(mapPayload('finish', finish(part))).toEqual(finish(mapped));
  });

  test('mapChunkText keeps the bytes of a file', () => {
    const bytes = { data: 'eHg=', base64: 'eHg=', mimeType: 'image/png' };
    expect(mapPayload('reasoning-file', bytes)).toEqual(bytes);
  });
});

describe('a text chunk', () => {
  const piece = (more: object): Chunk & { payload: object } =>
    JSON.parse(JSON.stringify({ type: 'text-delta', ...base, payload: { id: 't', text: 'x', ...more } }));

  test('toBareDelta returns the same object if it has no additional members', () => {
    const chunk = piece({});
    expect(toBareDelta(chunk)).toBe(chunk);
  });

  test('toBareDelta keeps a provider’s ids and removes the other additional members', () => {
    const told = { openai: { itemId: 'msg_1', logprobs: [{ token: 'x' }], phase: 'x'.repeat(300) } };
    expect(toBareDelta(piece({ providerMetadata: told, note: 'x' })).payload).toEqual({
      id: 't',
      text: 'x',
      providerMetadata: { openai: { itemId: 'msg_1' } },
    });
  });
});
