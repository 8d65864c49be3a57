import { expect, test } from 'vitest';
import { delta, say, textStart, typesOf } from '../testing/chunks.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { chunk } from '../state/make-chunk.ts';
import { createOpenParts } from './open-parts.ts';

const of = (type: string, payload: object) => chunk(RUN_ID, { type, payload });
const ends = (...chunks: Parameters<ReturnType<typeof createOpenParts>['see']>[0]) => {
  const parts = createOpenParts();
  parts.see(chunks);
  return parts.ends(true);
};

test('open parts are ended in the order in which they began', () => {
  const chunks = [
    ...say('done'),
    of('reasoning-start', { id: 'r' }),
    textStart('t2'),
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
  expect(ends(...say('a'), ...reasoning, ...call)).toEqual([]);
});

test('a part without a start is ended too', () => {
  expect(typesOf(ends(delta('x')))).toEqual(['text-end']);
});

test('the end of a part that was cut off says complete: false', () => {
  const parts = createOpenParts();
  parts.see([delta('x'), of('reasoning-start', { id: 'r' })]);
  expect(parts.ends(false)).toEqual([
    of('text-end', { id: 't', complete: false }),
    of('reasoning-end', { id: 'r', complete: false }),
  ]);
});
