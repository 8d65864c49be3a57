import { describe, expect, test } from 'vitest';
import {
  CHUNK_TYPES,
  chunkSchema,
  endsRun,
  isDataChunk,
  isPlainDelta,
  findTypeProblem,
  knownChunkSchema,
  mayBeDropped,
  passesChain,
  storedChunkSchema,
} from './chunk.ts';

const base = { runId: 'run1', from: 'AGENT' };
const fits = (chunk: unknown) => chunkSchema.safeParse(chunk).success;

describe('chunks of known types', () => {
  test.each([
    { type: 'text-delta', payload: { id: 't', text: 'hello' } },
    { type: 'tool-call', payload: { toolCallId: '1', toolName: 'clock', args: {} } },
    { type: 'tool-result', payload: { toolCallId: '1', toolName: 'clock', result: null } },
    { type: 'finish', payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] } },
    { type: 'object', object: { a: 1 } },
    { type: 'retract', payload: { index: 0 } },
    { type: 'start', payload: {} },
  ])('$type passes', (chunk) => expect(fits({ ...base, ...chunk })).toBe(true));

  test('Additional members of a known chunk are kept', () => {
    const chunk = {
      ...base,
      type: 'text-delta',
      payload: { id: 't', text: 'x', providerMetadata: { openai: { itemId: 'i' } }, later: [1] },
      metadata: { a: null },
    };
    expect(chunkSchema.parse(chunk)).toEqual(chunk);
  });

  test.each([
    ['a text that is no string', { type: 'text-delta', payload: { id: 't', text: 1 } }],
    ['no payload', { type: 'text-delta' }],
    ['a payload that is null', { type: 'start', payload: null }],
    ['no result', { type: 'tool-result', payload: { toolCallId: '1', toolName: 'x' } }],
    ['a negative index', { type: 'retract', payload: { index: -1 } }],
    ['no object', { type: 'object' }],
  ])('in a wrong shape do not pass as unknown ones: %s', (_name, chunk) =>
    expect(fits({ ...base, ...chunk })).toBe(false),
  );
});

describe('chunks of other types', () => {
  test.each([
    { type: 'data-progress', data: { percent: 3 }, transient: true },
    { type: 'brand-new', payload: { any: ['shape'] } },
    { type: 'text-delta-2' },
    { type: 'of-a-later-version', payload: null },
  ])('$type passes unchanged', (chunk) =>
    expect(chunkSchema.parse({ ...base, ...chunk })).toEqual({ ...base, ...chunk }),
  );
});

describe('a type outside of the known ones', () => {
  test.each([
    'data-ada@example.com',
    'data-',
    'data-a b',
    'data-a/b',
    `data-${'a'.repeat(65)}`,
    'call ada',
    'ä',
    '',
    'a'.repeat(65),
  ])('is refused with its form: %j', (type) => {
    expect(fits({ ...base, type, data: 1 })).toBe(false);
    expect(findTypeProblem(type)).toContain('1 to 64 characters');
  });

  test.each([...CHUNK_TYPES, 'data-A_z.0-9', `data-${'a'.repeat(64)}`, 'langgraph:event/1'])(
    'has the form: %s',
    (type) => {
      expect(findTypeProblem(type)).toBeUndefined();
    },
  );
});

describe('every chunk has type, runId and from', () => {
  test.each([
    { from: 'AGENT', type: 'data-x' },
    { runId: 'run1', type: 'data-x' },
    { ...base },
    { ...base, type: 3 },
    { ...base, type: 'data-x', from: 'NOBODY' },
    'text',
    null,
    [],
  ])('%j does not pass', (chunk) => expect(fits(chunk)).toBe(false));
});

test('The processOutputStream chain skips control chunks', () => {
  expect(CHUNK_TYPES.filter((type) => !passesChain({ type })).toSorted()).toEqual([
    'abort',
    'object',
    'resumed',
    'retract',
    'start',
    'suspended',
    'tripwire',
  ]);
  expect(passesChain({ type: 'data-x' })).toBe(true);
});

test('which chunks cannot be dropped, and which are the last of a run', () => {
  expect(CHUNK_TYPES.filter((type) => !mayBeDropped({ type })).toSorted()).toEqual(['error', 'finish', 'tripwire']);
  expect(CHUNK_TYPES.filter((type) => endsRun({ type })).toSorted()).toEqual([
    'abort',
    'error',
    'finish',
    'suspended',
    'tripwire',
  ]);
});

test('data chunks are known by their prefix alone', () => {
  expect(['data-x', 'data-', 'data', 'x-data-'].filter((type) => isDataChunk({ type }))).toEqual(['data-x', 'data-']);
});

describe('the short cut for pieces of text', () => {
  const absent = Symbol('absent');
  const texts = ['x', '', 1, null, absent];
  const payloads = [
    ...texts.flatMap((id) => texts.map((text) => ({ id, text }))),
    { id: 't', text: 'x', providerMetadata: { openai: null }, later: [1] },
    [{ id: 't', text: 'x' }],
    Object.assign([], { id: 't', text: 'x' }),
    null,
    'text',
    absent,
  ];
  const present = (members: object) => Object.fromEntries(Object.entries(members).filter(([, one]) => one !== absent));
  const chunks = ['text-delta', 'reasoning-delta', 'text-end', 'data-x', 1, absent].flatMap((type) =>
    ['run1', 1, absent].flatMap((runId) =>
      ['AGENT', 'USER', 'NOBODY', 1, absent].flatMap((from) =>
        payloads.map((payload): unknown => {
          const plain = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
          return present({ type, runId, from, payload: plain ? present(payload) : payload, also: 1 });
        }),
      ),
    ),
  );

  test('is taken by nothing that the schema refuses or changes', () => {
    const taken = [...chunks, [], null, 'text'].filter(isPlainDelta);
    expect(taken).toHaveLength(2 * 1 * 2 * 5);
    for (const chunk of taken) expect(knownChunkSchema.parse(chunk)).toEqual(chunk);
  });
});

test.each(['data-step/1', 'data-étape', 'data-my step'])(
  'A stored chunk may have the type %s, and a new one may not',
  (type) => {
    const chunk = { ...base, type, data: 1 };
    expect(storedChunkSchema.safeParse(chunk).success).toBe(true);
    expect(chunkSchema.safeParse(chunk).success).toBe(false);
  },
);
