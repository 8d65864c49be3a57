import type { Chunk } from '@millrace/contracts';
import { TEST_RUN, textChunks } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { streamExample } from './testing/example-calls.ts';
import { wordCounter } from './word-counter.ts';

const finish: Chunk = {
  type: 'finish',
  runId: TEST_RUN.runId,
  from: 'AGENT',
  payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
};

test.each([
  [3, ['one two three']],
  [3, ['one tw', 'o th', 'ree']],
  [4, ['one', ' two', '', ' three ', 'four']],
  [0, ['', ' ']],
])('word-counter counts %i words, however they are cut', async (words, deltas) => {
  const { chunks, verdict } = await streamExample(wordCounter, [...textChunks(deltas), finish]);
  expect(chunks.at(-2)).toMatchObject({ type: 'data-word-count', data: { words } });
  expect(chunks.at(-1)).toEqual(finish);
  expect(verdict.type).toBe('continue');
});

test('word-counter counts the words of two texts apart', async () => {
  const { chunks } = await streamExample(wordCounter, [
    ...textChunks(['one'], 'a'),
    ...textChunks(['two'], 'b'),
    finish,
  ]);
  expect(chunks.at(-2)).toMatchObject({ data: { words: 2 } });
});
