// The text that a client of chat completions joins is that of the run, or the stream ends with an error.
import { chunkSchema, type Chunk } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { reduceChat, startChatState, type ChatDelta } from './chat-state.ts';

const text = (type: string, delta: string): Chunk =>
  chunkSchema.parse({ type, payload: { id: 't', text: delta }, runId: 'r', from: 'AGENT' });
const retract = (index: number): Chunk =>
  chunkSchema.parse({ type: 'retract', payload: { index, code: 'model-call-failed' }, runId: 'r', from: 'AGENT' });
const finish = chunkSchema.parse({
  type: 'finish',
  payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
  runId: 'r',
  from: 'AGENT',
});

/** Returns what a client joins, and the end of the stream. */
function readAll(chunks: readonly Chunk[]) {
  let state = startChatState('r');
  const deltas: ChatDelta[] = [];
  for (const [index, chunk] of chunks.entries()) {
    const next = reduceChat(state, { index, epoch: 1, chunk });
    state = next.state;
    if (next.delta) deltas.push(next.delta);
  }
  const join = (read: (delta: ChatDelta) => string | undefined) => deltas.map((delta) => read(delta) ?? '').join('');
  const content = join((delta) => ('content' in delta ? delta.content : ''));
  const reasoning = join((delta) => ('reasoning_content' in delta ? delta.reasoning_content : ''));
  return { content, reasoning, end: state.end, count: deltas.length };
}

/** Returns the texts of the chunks that count. */
function joinCounted(chunks: readonly Chunk[], type: string): string {
  let counted: { index: number; chunk: Chunk }[] = [];
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.type === 'retract') counted = counted.filter((one) => one.index < chunk.payload.index);
    else counted.push({ index, chunk });
  }
  return counted
    .map(({ chunk }) =>
      (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') && chunk.type === type
        ? chunk.payload.text
        : '',
    )
    .join('');
}

const pieces = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom('text-delta', 'reasoning-delta'), fc.constantFrom('a', 'b', 'ab', '')),
    },
    { weight: 1, arbitrary: fc.nat(30) },
  ),
  { maxLength: 30 },
);

test('A stream without an error has the text of the chunks that count, whatever is retracted', () => {
  let continued = 0;
  fc.assert(
    fc.property(pieces, (drawn) => {
      const chunks = drawn.map((piece, at) =>
        typeof piece === 'number' ? retract(Math.min(piece, at)) : text(...piece),
      );
      const all = [...chunks, finish];
      const { content, reasoning, end } = readAll(all);
      if (end?.kind === 'retracted') return;
      expect(end?.kind).toBe('finished');
      if (all.some(({ type }) => type === 'retract') && content !== '') continued += 1;
      expect([content, reasoning]).toEqual([joinCounted(all, 'text-delta'), joinCounted(all, 'reasoning-delta')]);
    }),
    { numRuns: 2_000 },
  );
  expect(continued).toBeGreaterThan(200);
});

test('A stream continues behind a text that the next model repeats in other pieces', () => {
  const words = (from: number, to: number) => 'one two three four five'.slice(from, to);
  const chunks = [
    text('text-delta', words(0, 3)),
    text('text-delta', words(3, 9)),
    retract(0),
    text('text-delta', words(0, 5)),
    text('text-delta', words(5, 14)),
    text('text-delta', words(14, 23)),
    finish,
  ];
  expect(readAll(chunks)).toMatchObject({ content: words(0, 23), end: { kind: 'finished' } });
});

test.each([
  ['differs', [text('text-delta', 'abx')]],
  ['ends before', [text('text-delta', 'ab')]],
  ['is absent from', []],
])('A stream ends with an error and the code of the model call if the next answer %s the shown text', (_, next) => {
  const chunks = [text('text-delta', 'abc'), retract(0), ...next, finish];
  expect(readAll(chunks)).toMatchObject({ content: 'abc', end: { kind: 'retracted', code: 'model-call-failed' } });
});
