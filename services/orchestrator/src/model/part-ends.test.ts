// Ends of parts wait for the next part: only the finish shows whether the text was cut off.
import type { Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { RUN_ID } from '../testing/run-states.ts';
import { createChunkMaker } from './model-parts.ts';
import type { ModelPart } from './prompt.ts';
import { createPartEnds } from './part-ends.ts';

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};
type Reason = Extract<ModelPart, { type: 'finish' }>['finishReason']['unified'];
const finish = (unified: Reason): ModelPart => ({ type: 'finish', finishReason: { unified, raw: unified }, usage });
const text: ModelPart[] = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'a' },
  { type: 'text-end', id: 't' },
];
const call = (input: string, more: object = {}): ModelPart[] => [
  { type: 'tool-input-start', id: 'c', toolName: 'clock' },
  { type: 'tool-input-end', id: 'c' },
  { type: 'tool-call', toolCallId: 'c', toolName: 'clock', input, ...more },
];

/** The chunks that leave at each part. */
function passParts(parts: ModelPart[]): Chunk[][] {
  const toChunks = createChunkMaker(RUN_ID);
  const withEnds = createPartEnds();
  return parts.map((part) => withEnds(part, toChunks(part)));
}
const completeness = (parts: ModelPart[]) =>
  passParts(parts)
    .flat()
    .flatMap((chunk) => {
      const isEnd =
        chunk.type === 'text-end' || chunk.type === 'reasoning-end' || chunk.type === 'tool-call-input-streaming-end';
      return isEnd ? [chunk.payload.complete] : [];
    });

describe('a part that ends', () => {
  test.each(['stop', 'tool-calls'] as const)('before a finish for %s is whole', (reason) => {
    expect(completeness([...text, finish(reason)])).toEqual([undefined]);
  });

  test.each(['length', 'content-filter', 'error', 'other'] as const)('before a finish for %s was cut off', (reason) => {
    expect(completeness([...text, finish(reason)])).toEqual([false]);
  });

  test('before another part is whole, whatever the finish is', () => {
    const reasoning: ModelPart[] = [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-end', id: 'r' },
    ];
    expect(completeness([...reasoning, ...text, finish('length')])).toEqual([undefined, false]);
  });

  test('waits for the next part, and keeps its position', () => {
    const metadata: ModelPart = { type: 'response-metadata', id: 'm' };
    expect(passParts([...text, metadata, finish('length')]).map((chunks) => chunks.map(({ type }) => type))).toEqual([
      ['text-start'],
      ['text-delta'],
      [],
      [],
      ['text-end', 'response-metadata'],
    ]);
  });
});

describe('a tool call that was cut off', () => {
  const calls = (parts: ModelPart[]) =>
    passParts(parts)
      .flat()
      .filter(({ type }) => type === 'tool-call').length;

  test('is dropped: the beginning of its arguments cannot be judged', () => {
    expect(calls([...call('{"card":"4111 1111'), finish('length')])).toBe(0);
    expect(completeness([...call('{"card":"4111 1111'), finish('length')])).toEqual([false]);
  });

  test('is kept if its arguments were complete', () => {
    expect(calls([...call('{"card":1}'), finish('length')])).toBe(1);
  });
});

test('a call that the provider makes itself does not wait for its result', () => {
  const parts = call('{}', { providerExecuted: true });
  expect(
    passParts(parts)
      .at(-1)
      ?.map(({ type }) => type),
  ).toEqual(['tool-call-input-streaming-end', 'tool-call']);
});
