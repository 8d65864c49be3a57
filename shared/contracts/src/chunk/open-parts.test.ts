import { expect, test } from 'vitest';
import { chunkSchema, type Chunk } from './chunk.ts';
import { createOpenParts } from './open-parts.ts';

const buildChunk = (type: string, payload: object): Chunk =>
  chunkSchema.parse({ type, runId: 'run-1', from: 'AGENT', payload });
const delta = buildChunk('text-delta', { id: 't', text: 'x' });
const ends = (...chunks: Chunk[]) => {
  const parts = createOpenParts();
  parts.observe(chunks);
  return parts.ends(true);
};

test('Open parts are ended in the order of their starts', () => {
  const chunks = [
    buildChunk('text-start', { id: 't' }),
    delta,
    buildChunk('text-end', { id: 't' }),
    buildChunk('reasoning-start', { id: 'r' }),
    buildChunk('text-start', { id: 't2' }),
    buildChunk('reasoning-delta', { id: 'r', text: 'x' }),
    buildChunk('tool-call-input-streaming-start', { toolCallId: 'c1', toolName: 'clock' }),
  ];
  expect(ends(...chunks)).toEqual([
    buildChunk('reasoning-end', { id: 'r' }),
    buildChunk('text-end', { id: 't2' }),
    buildChunk('tool-call-input-streaming-end', { toolCallId: 'c1' }),
  ]);
});

test('An ended part receives no second end', () => {
  const reasoning = [buildChunk('reasoning-start', { id: 'r' }), buildChunk('reasoning-end', { id: 'r' })];
  const input = { toolCallId: 'c1', toolName: 'clock' };
  const call = [
    buildChunk('tool-call-input-streaming-start', input),
    buildChunk('tool-call-input-streaming-end', input),
  ];
  expect(ends(delta, buildChunk('text-end', { id: 't' }), ...reasoning, ...call)).toEqual([]);
});

test('A part without a start is ended too', () => {
  const call = buildChunk('tool-call-delta', { toolCallId: 'c1', toolName: 'clock', argsTextDelta: '{' });
  expect(ends(delta, call).map(({ type }) => type)).toEqual(['text-end', 'tool-call-input-streaming-end']);
});

test('The end of a cut-off part has complete: false', () => {
  const parts = createOpenParts();
  parts.observe([delta, buildChunk('reasoning-start', { id: 'r' })]);
  expect(parts.ends(false)).toEqual([
    buildChunk('text-end', { id: 't', complete: false }),
    buildChunk('reasoning-end', { id: 'r', complete: false }),
  ]);
});
