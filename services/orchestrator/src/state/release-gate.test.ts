// What waits for its release: in which order and when it comes out, what is taken back of it, what a record says of it.
import type { Chunk, Release, RunState } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, say, textEnd, textOf, textStart, typesOf } from '../testing/chunks.ts';
import { publishedChunks } from '../testing/published-chunks.ts';
import { stateOf } from '../testing/run-states.ts';
import { chunk } from './make-chunk.ts';
import { createReleaseGate, MAX_HELD_BYTES } from './release-gate.ts';
import { reduceRun } from './run-state.ts';

const retract = (index: number): Chunk[] => [chunk('run-1', { type: 'retract', payload: { index } })];
const transient = (): Chunk => Object.assign(dataChunk('now'), { transient: true });

function gateOf(release: Release) {
  const published = publishedChunks();
  published.publish([chunk('run-1', { type: 'start', payload: {} })]);
  const gate = createReleaseGate(published, release);
  return { gate, published, text: () => textOf(published.visible()) };
}

/** What the state says is held. */
function recorded(gate: ReturnType<typeof gateOf>['gate'], before: RunState = stateOf()): RunState {
  return gate.unrecorded(1).reduce(reduceRun, before);
}

describe('release: chunk', () => {
  test('lets everything out at once', () => {
    const { gate, published } = gateOf('chunk');
    gate.publish(say('Hel', 'lo.'));
    expect(typesOf(published.all)).toEqual(['start', 'text-start', 'text-delta', 'text-delta', 'text-end']);
    expect(gate.nextIndex()).toBe(5);
    expect(gate.unrecorded(1)).toEqual([]);
  });
});

describe('release: sentence', () => {
  test('lets a sentence out when the next one begins, cut where it ends', () => {
    const { gate, published, text } = gateOf('sentence');
    gate.publish([textStart(), delta('One'), delta(' is. T')]);
    expect(text()).toBe('One is. ');
    gate.publish([delta('wo'), delta(' is. Th')]);
    expect(text()).toBe('One is. Two is. ');
    gate.publish([delta('ree'), textEnd()]);
    expect(text()).toBe('One is. Two is. Three');
    expect(published.all.at(-1)?.type).toBe('text-end');
  });

  test('keeps the order: what comes after an unfinished sentence waits for it, transient chunks do not', () => {
    const { gate, published } = gateOf('sentence');
    gate.publish([
      textStart('a'),
      delta('Not yet', 'a'),
      textStart('b'),
      delta('Done. ', 'b'),
      dataChunk('x'),
      transient(),
    ]);
    expect(typesOf(published.all)).toEqual(['start', 'text-start', 'data-now']);
    gate.publish([textEnd('a')]);
    expect(typesOf(published.all).slice(3)).toEqual(['text-delta', 'text-start']);
    gate.publish([textEnd('b')]);
    expect(typesOf(published.all).slice(5)).toEqual(['text-delta', 'data-x', 'text-end', 'text-end']);
  });

  test('lets 1,000 characters without an end out', () => {
    const { gate, text } = gateOf('sentence');
    gate.publish([delta('x'.repeat(600))]);
    expect(text()).toBe('');
    gate.publish([delta('x'.repeat(600))]);
    expect(text()).toHaveLength(1_200);
  });

  test('lets out what has no end of its own when its step is settled', () => {
    const { gate, text } = gateOf('sentence');
    gate.publish([textStart(), delta('no end')]);
    gate.settle(1);
    expect(text()).toBe('no end');
    expect(gate.nextIndex()).toBe(gate.shownIndex());
  });

  test('leaves the end of a part that was cut off to its step', () => {
    const { gate, text } = gateOf('sentence');
    const end = chunk('run-1', { type: 'text-end', payload: { id: 't', complete: false } });
    gate.publish([delta('One. T'), end]);
    expect(text()).toBe('One. ');
    gate.settle(1);
    expect(text()).toBe('One. T');
  });

  test('says how much of a chunk that was cut is out', () => {
    const { gate } = gateOf('sentence');
    const chunks = [delta('One. T'), delta('wo')];
    gate.publish(chunks);
    const shown = chunks.map((one, at) => gate.shown(1 + at, one));
    expect(shown).toEqual([delta('One. '), undefined]);
  });

  test('takes back from the place of a chunk that others were cut before', () => {
    const { gate, text } = gateOf('sentence');
    gate.publish([delta('One. T'), delta('wo. T'), delta('hree. F')]);
    expect(text()).toBe('One. Two. Three. ');
    gate.takeBack(3, retract);
    expect(text()).toBe('One. Two. T');
    gate.publish([delta('en. E')]);
    expect(text()).toBe('One. Two. Ten. ');
  });
});

describe('release: step', () => {
  test('lets nothing out but transient chunks until the step is settled, and then as few chunks as it can', () => {
    const { gate, published } = gateOf('step');
    gate.publish([dataChunk('x'), ...say('One. ', 'Two.'), transient()]);
    expect(typesOf(published.all)).toEqual(['start', 'data-now']);
    gate.settle(2);
    expect(published.all.slice(2)).toEqual([dataChunk('x'), ...say('One. Two.')]);
    gate.publish(say('Later.'));
    expect(published.all).toHaveLength(6);
  });

  test('what is taken back while it waits was never there', () => {
    const { gate, published, text } = gateOf('step');
    gate.publish(say('No.'));
    gate.takeBack(1, retract);
    gate.publish(say('Yes.'));
    gate.settle(1);
    expect(text()).toBe('Yes.');
    expect(typesOf(published.all)).not.toContain('retract');
  });

  test('what was settled is taken back with what waits after it', () => {
    const { gate, text } = gateOf('step');
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
  test('lets nothing out before the end, however many steps are settled', () => {
    const { gate, published, text } = gateOf('result');
    gate.publish(say('One. '));
    gate.settle(1);
    gate.publish(say('Two.'));
    gate.settle(gate.nextIndex() - 3);
    expect(published.all).toHaveLength(1);
    gate.release();
    expect(text()).toBe('One. Two.');
    gate.publish(say('!'));
    expect(text()).toBe('One. Two.!');
  });

  test('a step that is taken back leaves those before it', () => {
    const { gate, text } = gateOf('result');
    gate.publish(say('O', 'n', 'e.'));
    gate.settle(1);
    const second = gate.nextIndex();
    gate.publish(say('Two.'));
    gate.settle(second);
    gate.takeBack(second, retract);
    gate.release();
    expect(text()).toBe('One.');
  });
});

describe('what waits', () => {
  test('fails by its code over the bound', () => {
    const { gate } = gateOf('result');
    const many = Array.from({ length: 8 }, () => dataChunk('x', 'x'.repeat(MAX_HELD_BYTES / 8 - 1_000)));
    gate.publish(many);
    expect(() => gate.publish([dataChunk('x', 'x'.repeat(8_000))])).toThrow(
      expect.objectContaining({ code: 'release-hold-full' }),
    );
  });

  test('is in the records, once: a next owner holds the same', () => {
    const { gate } = gateOf('result');
    gate.publish([dataChunk('x'), ...say('a', 'b')]);
    const first = recorded(gate);
    expect(first.held).toEqual([dataChunk('x'), ...say('ab')]);
    expect(gate.unrecorded(1)).toEqual([]);
    gate.publish([delta('c')]);
    const [action] = gate.unrecorded(1);
    expect(action).toEqual({ action: 'chunks-held', keep: 4, chunks: [delta('c')] });
    const next = gateOf('result');
    next.gate.restore(first.held);
    expect(next.gate.unrecorded(1)).toEqual([]);
    next.gate.release();
    expect(next.text()).toBe('ab');
  });

  test('is out of the records when it is out, or taken back', () => {
    const { gate } = gateOf('step');
    gate.publish(say('One.'));
    const held = recorded(gate);
    gate.settle(1);
    const settled = recorded(gate, held);
    expect(settled.held).toEqual([]);
    gate.publish(say('Two.', 'Three.'));
    const more = recorded(gate, settled);
    gate.takeBack(gate.nextIndex() - 1, retract);
    expect(typesOf(recorded(gate, more).held)).toEqual(['text-start', 'text-delta']);
  });

  test('in many records: each holds what one message can', () => {
    const { gate } = gateOf('result');
    gate.publish(Array.from({ length: 5 }, () => dataChunk('x', 'x'.repeat(500_000))));
    expect(gate.unrecorded(1)).toHaveLength(3);
  });
});

describe('who holds everything', () => {
  test('lets nothing out, transient chunks neither, until it lets go', () => {
    const { gate, published } = gateOf('chunk');
    const letGo = gate.hold();
    gate.publish([...say('One.'), transient()]);
    expect(published.all).toHaveLength(1);
    expect(gate.nextIndex()).toBe(4);
    letGo();
    letGo();
    expect(typesOf(published.all).slice(1)).toEqual(['text-start', 'text-delta', 'text-end', 'data-now']);
    gate.publish(say('Two.'));
    expect(published.all).toHaveLength(8);
  });

  test('leaves the places of what it lets out: it can be taken back', () => {
    const { gate, text } = gateOf('chunk');
    const letGo = gate.hold();
    gate.publish([delta('a'), delta('b')]);
    letGo();
    gate.takeBack(2, retract);
    expect(text()).toBe('a');
  });

  test('of a run that releases by step lets transient chunks out and leaves the rest', () => {
    const { gate, published } = gateOf('step');
    const letGo = gate.hold();
    gate.publish([...say('One.'), transient()]);
    letGo();
    expect(typesOf(published.all)).toEqual(['start', 'data-now']);
    gate.settle(1);
    expect(textOf(published.all)).toBe('One.');
  });
});
