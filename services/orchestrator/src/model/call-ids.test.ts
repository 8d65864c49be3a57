import { chunkSchema, type Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { createChunkMaker } from './model-parts.ts';
import type { ModelPart } from './prompt.ts';

function makeChunks(...parts: ModelPart[]): Chunk[] {
  const chunks = parts.flatMap(createChunkMaker('run-1'));
  for (const chunk of chunks) expect(chunkSchema.safeParse(chunk).error).toBeUndefined();
  return chunks;
}

describe('the chunks', () => {
  test('of calls without ids have one id for each call, and its result has the same', () => {
    const call = (args: string): ModelPart[] => [
      { type: 'tool-input-start', id: '', toolName: 'clock' },
      { type: 'tool-input-delta', id: '', delta: args },
      { type: 'tool-input-end', id: '' },
      { type: 'tool-call', toolCallId: '', toolName: 'clock', input: args },
    ];
    const chunks = makeChunks(
      ...call('{"a":1}'),
      ...call('{"a":2}'),
      { type: 'tool-result', toolCallId: '', toolName: 'clock', result: 'noon' },
      { type: 'tool-call', toolCallId: '', toolName: 'clock', input: '{}' },
    );
    const ids = chunks.map(({ payload }) => String(Object(payload).toolCallId));
    expect(new Set(ids.slice(0, 4)).size).toBe(1);
    expect(new Set(ids.slice(4, 9)).size).toBe(1);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => /^call_[\w-]{36}$/.test(id))).toBe(true);
  });

  test('of further calls with one id have an id for each call', () => {
    const start = { type: 'tool-input-start', id: '0', toolName: 'clock' } as const;
    const call = (args: string): ModelPart[] => [
      { type: 'tool-input-delta', id: '0', delta: args },
      { type: 'tool-input-end', id: '0' },
      { type: 'tool-call', toolCallId: '0', toolName: 'clock', input: args },
    ];
    const chunks = makeChunks(
      start,
      ...call('{"a":1}'),
      start,
      ...call('{"a":2}'),
      { type: 'tool-result', toolCallId: '0', toolName: 'clock', result: 'noon' },
      { type: 'tool-call', toolCallId: '0', toolName: 'clock', input: '{}' },
      { type: 'tool-call', toolCallId: '1', toolName: 'clock', input: '{}' },
    );
    const ids = chunks.map(({ payload }) => String(Object(payload).toolCallId));
    expect(ids.slice(0, 4)).toEqual(['0', '0', '0', '0']);
    expect(ids[4]).toMatch(/^call_[\w-]{36}$/);
    expect(ids.slice(5, 9)).toEqual(Array.from({ length: 4 }, () => ids[4]));
    expect(ids[9]).toMatch(/^call_[\w-]{36}$/);
    expect(ids[9]).not.toBe(ids[4]);
    expect(ids[10]).toBe('1');
  });

  test('of calls with one id that start before the first one is complete have the ids in the order of their starts', () => {
    const start = { type: 'tool-input-start', id: '0', toolName: 'clock' } as const;
    const call = { type: 'tool-call', toolCallId: '0', toolName: 'clock', input: '{}' } as const;
    const chunks = makeChunks(start, start, call, call);
    const ids = chunks.map(({ payload }) => String(Object(payload).toolCallId));
    expect(ids[1]).toMatch(/^call_/);
    expect(ids).toEqual(['0', ids[1], '0', ids[1]]);
  });

  test('of calls without ids and without starts have the id of the call that follows', () => {
    const end = { type: 'tool-input-end', id: '' } as const;
    const call = { type: 'tool-call', toolCallId: '', toolName: 'clock', input: '{}' } as const;
    const ids = makeChunks(end, call, end, call).map(({ payload }) => String(Object(payload).toolCallId));
    expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('of a further call with an end after the complete first call have an id of their own', () => {
    const end = { type: 'tool-input-end', id: 'c1' } as const;
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: '{}' } as const;
    const ids = makeChunks(end, call, end, call).map(({ payload }) => String(Object(payload).toolCallId));
    expect(ids).toEqual(['c1', 'c1', ids[2], ids[2]]);
    expect(ids[2]).toMatch(/^call_/);
  });

  test('of a call that the provider executes after its approval keep the id of the request', () => {
    const call = {
      type: 'tool-call',
      toolCallId: 'd',
      toolName: 'mcp.x',
      input: '{}',
      providerExecuted: true,
    } as const;
    const chunks = makeChunks(call, { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'd' }, call, {
      type: 'tool-result',
      toolCallId: 'd',
      toolName: 'mcp.x',
      result: 'noon',
    });
    expect(chunks.map(({ payload }) => Object(payload).toolCallId)).toEqual(['d', 'd', 'd', 'd']);
  });

  test('of an end that follows its call have the id of the call', () => {
    const chunks = makeChunks(
      { type: 'tool-input-start', id: 'c1', toolName: 'clock' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: '{}' },
      { type: 'tool-input-end', id: 'c1' },
    );
    expect(chunks.map(({ payload }) => Object(payload).toolCallId)).toEqual(['c1', 'c1', 'c1']);
  });
});
