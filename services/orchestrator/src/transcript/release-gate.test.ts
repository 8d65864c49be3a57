// The release gate: in which order and when buffered chunks are released, how they are retracted, how they are
// recorded.
import type { Chunk, Release, RunState } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, say, makeText, listTypes } from '../testing/chunks.ts';
import { publishedChunks } from '../testing/published-chunks.ts';
import { makeState } from '../testing/run-states.ts';
import { makeChunk } from './make-chunk.ts';
import { createReleaseGate, MAX_HELD_BYTES } from './release-gate.ts';
import { reduceRun } from '../state/run-state.ts';

const retract = (index: number): Chunk[] => [makeChunk('run-1', { type: 'retract', payload: { index } })];
const transient = (): Chunk => Object.assign(dataChunk('now'), { transient: true });

function makeGate(release: Release) {
  const published = publishedChunks();
  published.publish([makeChunk('run-1', { type: 'start', payload: {} })]);
  const gate = createReleaseGate(published, release);
  return { gate, published, text: () => makeText(published.visible()) };
}

/** The buffered chunks according to the state. */
function applyRecords(gate: ReturnType<typeof makeGate>['gate'], before: RunState = makeState()): RunState {
  return gate.takeUnrecorded(1).reduce(reduceRun, before);
}

describe('release: chunk', () => {
  test('releases each chunk at once', () => {
    const { gate, published } = makeGate('chunk');
    gate.publish(say('Hel', 'lo.'));
    expect(listTypes(published.all)).toEqual(['start', 'text-start', 'text-delta', 'text-delta', 'text-end']);
    expect(gate.getNextIndex()).toBe(5);
    expect(gate.takeUnrecorded(1)).toEqual([]);
  });

  test('releases the chunks that the lost owner had buffered before any new one', () => {
    const { gate, text } = makeGate('chunk');
    gate.restore(say('One.'));
    expect(gate.publish(say('Two.'))).toEqual([4, 5, 6]);
    expect(text()).toBe('One.Two.');
  });
});

describe('release: step', () => {
  test('releases only transient chunks until the step is settled, and then as few chunks as possible', () => {
    const { gate, published } = makeGate('step');
    gate.publish([dataChunk('x'), ...say('One. ', 'Two.'), transient()]);
    expect(listTypes(published.all)).toEqual(['start', 'data-now']);
    gate.settle(2);
    expect(published.all.slice(2)).toEqual([dataChunk('x'), ...say('One. Two.')]);
    gate.publish(say('Later.'));
    expect(published.all).toHaveLength(6);
  });

  test('drops a buffered chunk that is retracted without a trace', () => {
    const { gate, published, text } = makeGate('step');
    gate.publish(say('No.'));
    gate.takeBack(1, retract);
    gate.publish(say('Yes.'));
    gate.settle(1);
    expect(text()).toBe('Yes.');
    expect(listTypes(published.all)).not.toContain('retract');
  });

  test('retracts settled chunks together with the buffered ones after them', () => {
    const { gate, text } = makeGate('step');
    gate.publish(say('One.'));
    gate.settle(1);
    gate.publish(say('Two.'));
    gate.takeBack(1, retract);
    gate.publish(say('Three.'));
    gate.settle(1);
    expect(text()).toBe('Three.');
  });
});

describe('release: result', () => {
  test('releases nothing before the end, however many steps are settled', () => {
    const { gate, published, text } = makeGate('result');
    gate.publish(say('One. '));
    gate.settle(1);
    gate.publish(say('Two.'));
    gate.settle(gate.getNextIndex() - 3);
    expect(published.all).toHaveLength(1);
    gate.release();
    expect(text()).toBe('One. Two.');
    gate.publish(say('!'));
    expect(text()).toBe('One. Two.!');
  });

  test('keeps the earlier steps when a step is retracted', () => {
    const { gate, text } = makeGate('result');
    gate.publish(say('O', 'n', 'e.'));
    gate.settle(1);
    const second = gate.getNextIndex();
    gate.publish(say('Two.'));
    gate.settle(second);
    gate.takeBack(second, retract);
    gate.release();
    expect(text()).toBe('One.');
  });
});

describe('buffered chunks', () => {
  test('fail by code above the bound', () => {
    const { gate } = makeGate('result');
    const many = Array.from({ length: 8 }, () => dataChunk('x', 'x'.repeat(MAX_HELD_BYTES / 8 - 1_000)));
    gate.publish(many);
    expect(() => gate.publish([dataChunk('x', 'x'.repeat(8_000))])).toThrow(
      expect.objectContaining({ code: 'release-hold-full' }),
    );
  });

  test('are recorded once, and the next owner buffers the same chunks', () => {
    const { gate } = makeGate('result');
    gate.publish([dataChunk('x'), ...say('a', 'b')]);
    const first = applyRecords(gate);
    expect(first.held).toEqual([dataChunk('x'), ...say('ab')]);
    expect(gate.takeUnrecorded(1)).toEqual([]);
    gate.publish([delta('c')]);
    const [action] = gate.takeUnrecorded(1);
    expect(action).toEqual({ action: 'chunks-held', keep: 4, chunks: [delta('c')] });
    const next = makeGate('result');
    next.gate.restore(first.held);
    expect(next.gate.takeUnrecorded(1)).toEqual([]);
    next.gate.release();
    expect(next.text()).toBe('ab');
  });

  test('leave the records when they are released or retracted', () => {
    const { gate } = makeGate('step');
    gate.publish(say('One.'));
    const held = applyRecords(gate);
    gate.settle(1);
    const settled = applyRecords(gate, held);
    expect(settled.held).toEqual([]);
    gate.publish(say('Two.', 'Three.'));
    const more = applyRecords(gate, settled);
    gate.takeBack(gate.getNextIndex() - 1, retract);
    expect(listTypes(applyRecords(gate, more).held)).toEqual(['text-start', 'text-delta']);
  });

  test('are split into records that fit into one message each', () => {
    const { gate } = makeGate('result');
    gate.publish(Array.from({ length: 5 }, () => dataChunk('x', 'x'.repeat(500_000))));
    expect(gate.takeUnrecorded(1)).toHaveLength(3);
  });
});

describe('a hold on the gate', () => {
  test('releases nothing, not even transient chunks, until it ends', () => {
    const { gate, published } = makeGate('chunk');
    const letGo = gate.hold();
    gate.publish([...say('One.'), transient()]);
    expect(published.all).toHaveLength(1);
    expect(gate.getNextIndex()).toBe(4);
    letGo();
    letGo();
    expect(listTypes(published.all).slice(1)).toEqual(['text-start', 'text-delta', 'text-end', 'data-now']);
    gate.publish(say('Two.'));
    expect(published.all).toHaveLength(8);
  });

  test('keeps the places of the chunks that it releases, so that they can be retracted', () => {
    const { gate, text } = makeGate('chunk');
    const letGo = gate.hold();
    gate.publish([delta('a'), delta('b')]);
    letGo();
    gate.takeBack(2, retract);
    expect(text()).toBe('a');
  });

  test('of a run that releases by step releases transient chunks and keeps the rest', () => {
    const { gate, published } = makeGate('step');
    const letGo = gate.hold();
    gate.publish([...say('One.'), transient()]);
    letGo();
    expect(listTypes(published.all)).toEqual(['start', 'data-now']);
    gate.settle(1);
    expect(makeText(published.all)).toBe('One.');
  });
});
