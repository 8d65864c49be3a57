// Cases of the reducer of useChat that generated texts do not contain.
import { chunkSchema, type Chunk } from '@millrace/contracts';
import { expect, test } from 'vitest';
import type { UiEvent } from './ui-parts.ts';
import { reduceUi, startUi } from './ui-state.ts';

const base = { runId: 'run-1', from: 'AGENT' } as const;
const step: Chunk = { ...base, type: 'step-start', payload: {} };
const progress = chunkSchema.parse({ ...base, type: 'data-progress', data: { percent: 3 }, transient: true });
const text: Chunk = { ...base, type: 'text-delta', payload: { id: 't', text: 'words' } };
const retract = (index: number): Chunk => ({ ...base, type: 'retract', payload: { index } });

function reduce(chunks: readonly Chunk[], continues: boolean) {
  const events: UiEvent[] = [];
  let state = startUi('run-1', continues);
  for (const [index, chunk] of chunks.entries()) {
    const reduced = reduceUi(state, { epoch: 1, index, chunk });
    state = reduced.state;
    events.push(...reduced.events);
  }
  return { state, types: events.map(({ type }) => type) };
}

test('a reset repeats no transient part', () => {
  const { types } = reduce([step, progress, text, retract(2)], false);
  expect(types).toEqual(['start-step', 'data-progress', 'text-start', 'text-delta', 'reset-step']);
});

test('a retraction in a continued message without a step ends the stream, because a reset drops the earlier parts', () => {
  const { state, types } = reduce([text, retract(0)], true);
  expect(types).not.toContain('reset-step');
  expect(state.broken).toBe(true);
});

test('a retraction of an output of an earlier step ends the stream, because a reset leaves the earlier step unchanged', () => {
  const head = { toolCallId: 'c1', toolName: 'lookup' };
  const call: Chunk = { ...base, type: 'tool-call', payload: { ...head, args: {} } };
  const result: Chunk = { ...base, type: 'tool-result', payload: { ...head, args: {}, result: 'found' } };
  expect(reduce([call, step, result, retract(2)], false).state.broken).toBe(true);
  expect(reduce([step, call, result, retract(2)], false)).toMatchObject({
    state: { broken: false },
    types: ['start-step', 'tool-input-available', 'tool-output-available', 'reset-step', 'tool-input-available'],
  });
});
