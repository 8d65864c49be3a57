import { chunkSchema, type Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { createChunkMaker, usageOf, type ModelPart } from './model-parts.ts';

function chunksOf(...parts: ModelPart[]): Chunk[] {
  const toChunks = createChunkMaker('run-1');
  const chunks = parts.flatMap(toChunks);
  for (const chunk of chunks) expect(chunkSchema.safeParse(chunk).error).toBeUndefined();
  expect(chunks.every(({ runId, from }) => runId === 'run-1' && from === 'AGENT')).toBe(true);
  return chunks;
}
const payload = (part: ModelPart): object | undefined => {
  const [chunk] = chunksOf(part);
  return chunk && { type: chunk.type, ...('payload' in chunk ? Object(chunk.payload) : {}) };
};

describe('what a model streams', () => {
  test.each(['text', 'reasoning'] as const)('%s is start, deltas, end', (kind) => {
    const chunks = chunksOf(
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

  test('arguments that come in pieces keep the tool’s name', () => {
    const chunks = chunksOf(
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
    ['{"zone":"UTC"}', { zone: 'UTC' }],
    ['', {}],
    [' ', {}],
    ['{"zone":', '{"zone":'],
    ['[1]', [1]],
  ])('a call’s input %j is the arguments %j: what is no JSON stays text, for the schema to refuse', (input, args) => {
    expect(payload({ type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input })).toMatchObject({ args });
  });

  test('a call that the provider made itself says so', () => {
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

  test('has no chunk for warnings, raw data and the finish', () => {
    expect(chunksOf({ type: 'stream-start', warnings: [] }, { type: 'raw', rawValue: 'secret' })).toEqual([]);
  });
});

describe('usage of a model call', () => {
  const finish = (inputTokens: object, outputTokens: object) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that are read
    usageOf({ type: 'finish', usage: { inputTokens, outputTokens } } as unknown as Parameters<typeof usageOf>[0]);

  test('is what the provider says', () => {
    expect(finish({ total: 7, cacheRead: 3 }, { total: 5, reasoning: 2 })).toEqual({
      inputTokens: 7,
      outputTokens: 5,
      totalTokens: 12,
      reasoningTokens: 2,
      cachedInputTokens: 3,
    });
  });

  test('leaves out what the provider does not say', () => {
    expect(finish({}, {})).toEqual({});
    expect(finish({ total: 7 }, {})).toEqual({ inputTokens: 7, totalTokens: 7 });
  });
});
