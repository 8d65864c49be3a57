import { chunkSchema, type Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { createChunkMaker, readUsage } from './model-parts.ts';
import type { ModelPart } from './prompt.ts';

function makeChunks(...parts: ModelPart[]): Chunk[] {
  const toChunks = createChunkMaker('run-1');
  const chunks = parts.flatMap(toChunks);
  for (const chunk of chunks) expect(chunkSchema.safeParse(chunk).error).toBeUndefined();
  expect(chunks.every(({ runId, from }) => runId === 'run-1' && from === 'AGENT')).toBe(true);
  return chunks;
}
const payload = (part: ModelPart): object | undefined => {
  const [chunk] = makeChunks(part);
  return chunk && { type: chunk.type, ...('payload' in chunk ? Object(chunk.payload) : {}) };
};

describe("parts of a model's stream", () => {
  test.each(['text', 'reasoning'] as const)('%s is start, deltas, end', (kind) => {
    const chunks = makeChunks(
      { type: `${kind}-start`, id: 'p' },
      { type: `${kind}-delta`, id: 'p', delta: 'hi' },
      { type: `${kind}-end`, id: 'p' },
    );
    expect(chunks).toMatchObject([
      { type: `${kind}-start`, payload: { id: 'p' } },
      { type: `${kind}-delta`, payload: { id: 'p', text: 'hi' } },
      { type: `${kind}-end`, payload: { id: 'p' } },
    ]);
  });

  test('of streamed arguments keep the tool’s name', () => {
    const chunks = makeChunks(
      { type: 'tool-input-start', id: 'c1', toolName: 'clock' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"a"' },
      { type: 'tool-input-end', id: 'c1' },
    );
    expect(chunks).toMatchObject([
      { type: 'tool-call-input-streaming-start', payload: { toolCallId: 'c1', toolName: 'clock' } },
      { type: 'tool-call-delta', payload: { toolCallId: 'c1', argsTextDelta: '{"a"', toolName: 'clock' } },
      { type: 'tool-call-input-streaming-end', payload: { toolCallId: 'c1' } },
    ]);
  });

  test.each([
    ['words', 'mail ada@example.com'],
    ['an address', 'ada@example.com'],
    ['an invisible character', 'a\u2800b'],
    ['too many characters', 'x'.repeat(16_385)],
  ])('with an id of %s have one id of the right form in all chunks', (_name, id) => {
    const providerMetadata = { openai: { itemId: id, responseId: id, phase: 'final' } };
    const chunks = makeChunks(
      { type: 'text-start', id, providerMetadata },
      { type: 'text-delta', id, delta: 'hi', providerMetadata },
      { type: 'text-end', id, providerMetadata },
      { type: 'reasoning-delta', id, delta: 'hi' },
      { type: 'tool-input-start', id, toolName: 'clock' },
      { type: 'tool-input-delta', id, delta: '{}' },
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName: 'clock', input: '{}' },
      { type: 'tool-result', toolCallId: id, toolName: 'clock', result: id },
      { type: 'tool-approval-request', approvalId: id, toolCallId: id },
      { type: 'source', sourceType: 'url', id, url: 'https://example.com' },
      { type: 'response-metadata', id },
    );
    const listIds = (value: object): unknown[] =>
      Object.entries(value).flatMap(([name, member]) =>
        /^(id|\w+Id)$/.test(name) && name !== 'runId' && name !== 'modelId'
          ? [member]
          : typeof member === 'object' && member !== null
            ? listIds(member)
            : [],
      );
    const ids = listIds(chunks);
    expect(new Set(ids).size).toBe(1);
    expect(ids.length).toBeGreaterThan(16);
    expect(ids[0]).toMatch(/^[\w.:-]{1,256}$/);
    expect(chunks).toContainEqual(expect.objectContaining({ payload: expect.objectContaining({ result: id }) }));
  });

  test('keep an id to which a proxy has appended data of its provider', () => {
    const id = `call_a1b2__thought__${'CpcB+/='.repeat(200)}`;
    const chunks = makeChunks({ type: 'tool-call', toolCallId: id, toolName: 'clock', input: '{}' });
    expect(chunks).toMatchObject([{ payload: { toolCallId: id } }]);
  });

  test('of streamed arguments have no name of a tool that is text', () => {
    const chunks = makeChunks(
      { type: 'tool-input-start', id: 'c1', toolName: 'card 4111 1111 1111 1111' },
      { type: 'tool-input-delta', id: 'c1', delta: '{' },
    );
    expect(JSON.stringify(chunks.at(-1))).not.toContain('4111');
  });

  test.each([
    ['{"zone":"UTC"}', { zone: 'UTC' }],
    ['', {}],
    [' ', {}],
    ['{"zone":', '{"zone":'],
    ['[1]', [1]],
  ])(
    'of a call with the input %j have the arguments %j: input that is no JSON stays text, for the schema to refuse',
    (input, args) => {
      expect(payload({ type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input })).toMatchObject({ args });
    },
  );

  test('of a call that the provider made itself are marked', () => {
    const part = {
      type: 'tool-call' as const,
      toolCallId: 'c1',
      toolName: 'search',
      input: '{}',
      providerExecuted: true,
    };
    expect(payload(part)).toMatchObject({ providerExecuted: true });
  });

  test.each([
    ['bytes', { type: 'data', data: new Uint8Array([104, 105]) }],
    ['base64', { type: 'data', data: 'aGk=' }],
  ])('a file of %s travels as base64', (_what, data) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the two forms that the specification has
    const part = { type: 'file', mediaType: 'text/plain', data } as ModelPart;
    expect(payload(part)).toEqual({ type: 'file', mimeType: 'text/plain', data: 'aGk=' });
  });

  test('a source has a title, if an empty one', () => {
    const part = { type: 'source' as const, sourceType: 'url' as const, id: 's', url: 'https://example.com' };
    expect(payload(part)).toMatchObject({ sourceType: 'url', title: '', url: 'https://example.com' });
  });

  test('for warnings, keep-alives and the finish give no chunk, nor does raw data that the agent did not request', () => {
    expect(
      makeChunks({ type: 'stream-start', warnings: [] }, { type: 'ping' }, { type: 'raw', rawValue: 'secret' }),
    ).toEqual([]);
  });

  test.each([
    [{ choices: [1] }, { choices: [1] }],
    ['text', { value: 'text' }],
    [[1], { value: [1] }],
  ])('of raw data %j give a chunk if the agent requests it', (rawValue, expected) => {
    expect(createChunkMaker('run-1', true)({ type: 'raw', rawValue })).toMatchObject([
      { type: 'raw', payload: expected },
    ]);
  });

  test('of reasoning files, custom content and approval requests give chunks', () => {
    const data = { type: 'data' as const, data: 'aGk=' };
    expect(payload({ type: 'reasoning-file', mediaType: 'text/plain', data })).toEqual({
      type: 'reasoning-file',
      mimeType: 'text/plain',
      data: 'aGk=',
    });
    expect(payload({ type: 'custom', kind: 'openai.compaction' })).toEqual({
      type: 'custom',
      kind: 'openai.compaction',
    });
    expect(payload({ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' })).toEqual({
      type: 'tool-approval-request',
      approvalId: 'a',
      toolCallId: 'c',
    });
  });

  test('with references at the end of a text keep them', () => {
    const citations = [{ source: { type: 'source' as const, sourceType: 'url' as const, id: 's', url: 'https://a' } }];
    expect(payload({ type: 'text-end', id: 't', citations })).toMatchObject({ id: 't', citations });
  });

  test('of arguments name the calling tool, whether it was declared, and whether the pieces are JSON', () => {
    const part = { type: 'tool-input-start' as const, id: 'c', toolName: 't', providerExecuted: true, dynamic: true };
    expect(payload({ ...part, inputEncoding: 'text' })).toMatchObject({
      providerExecuted: true,
      dynamic: true,
      inputEncoding: 'text',
    });
  });

  test('of a preliminary result are marked', () => {
    const part = { type: 'tool-result' as const, toolCallId: 'c', toolName: 't', result: 'r', preliminary: true };
    expect(payload(part)).toMatchObject({ providerExecuted: true, preliminary: true });
  });

  test('keep allowed members of the provider metadata; tokens of the answer are dropped', () => {
    const providerMetadata = {
      openai: { itemId: 'i', serviceTier: null, logprobs: [{ token: 'x' }] },
      other: { x: 1 },
    };
    expect(payload({ type: 'text-start', id: 't', providerMetadata })).toEqual({
      type: 'text-start',
      id: 't',
      providerMetadata: { openai: { itemId: 'i' } },
    });
    expect(payload({ type: 'text-start', id: 't', providerMetadata: { openai: { logprobs: [] } } })).toEqual({
      type: 'text-start',
      id: 't',
    });
  });

  test("of reasoning carry the provider's signature", () => {
    const providerMetadata = { openai: { itemId: 'i', reasoningEncryptedContent: 'sealed' } };
    expect(payload({ type: 'reasoning-end', id: 'r', providerMetadata })).toMatchObject({ signature: 'sealed' });
    expect(payload({ type: 'reasoning-end', id: 'r' })).toEqual({ type: 'reasoning-end', id: 'r' });
  });
});

describe('usage of a model call', () => {
  const finish = (inputTokens: object, outputTokens: object) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that are read
    readUsage({ type: 'finish', usage: { inputTokens, outputTokens } } as unknown as Parameters<typeof readUsage>[0]);

  test("is the provider's count", () => {
    expect(finish({ total: 7, cacheRead: 3 }, { total: 5, reasoning: 2 })).toEqual({
      inputTokens: 7,
      outputTokens: 5,
      totalTokens: 12,
      reasoningTokens: 2,
      cachedInputTokens: 3,
    });
  });

  test('omits counts that the provider does not report', () => {
    expect(finish({}, {})).toEqual({});
    expect(finish({ total: 7 }, {})).toEqual({ inputTokens: 7, totalTokens: 7 });
  });
});
