import { expect, test } from 'vitest';
import { chunkSchema, type Chunk } from './chunk.ts';
import { createOpenParts } from './open-parts.ts';

const of = (type: string, payload: object): Chunk =>
  chunkSchema.parse({ type, runId: 'run-1', from: 'AGENT', payload });
const delta = of('text-delta', { id: 't', text: 'x' });
const ends = (...chunks: Chunk[]) => {
  const parts = createOpenParts();
  parts.see(chunks);
  return parts.ends(true);
};

test('open parts are ended in the order in which they began', () => {
  const chunks = [
    of('text-start', { id: 't' }),
    delta,
    of('text-end', { id: 't' }),
    of('reasoning-start', { id: 'r' }),
    of('text-start', { id: 't2' }),
    of('reasoning-delta', { id: 'r', text: 'x' }),
    of('tool-call-input-streaming-start', { toolCallId: 'c1', toolName: 'clock' }),
  ];
  expect(ends(...chunks)).toEqual([
    of('reasoning-end', { id: 'r' }),
    of('text-end', { id: 't2' }),
    of('tool-call-input-streaming-end', { toolCallId: 'c1' }),
  ]);
});

test('a part that has ended gets no second end', () => {
  const reasoning = [of('reasoning-start', { id: 'r' }), of('reasoning-end', { id: 'r' })];
  const input = { toolCallId: 'c1', toolName: 'clock' };
  const call = [of('tool-call-input-streaming-start', input), of('tool-call-input-streaming-end', input)];
  expect(ends(delta, of('text-end', { id: 't' }), ...reasoning, ...call)).toEqual([]);
});

test('a part without a start is ended too', () => {
  const call = of('tool-call-delta', { toolCallId: 'c1', toolName: 'clock', argsTextDelta: '{' });
  expect(ends(delta, call).map(({ type }) => type)).toEqual(['text-end', 'tool-call-input-streaming-end']);
});

test('the end of a part that was cut off says complete: false', () => {
  const parts = createOpenParts();
  parts.see([delta, of('reasoning-start', { id: 'r' })]);
  expect(parts.ends(false)).toEqual([
    of('text-end', { id: 't', complete: false }),
    of('reasoning-end', { id: 'r', complete: false }),
  ]);
});
