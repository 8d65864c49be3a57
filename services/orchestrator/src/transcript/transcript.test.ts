// The reducer of a transcript: in which order and when buffered chunks are published, how they are withdrawn, how they
// are recorded.
import type { Chunk, Release, RunState } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, say, makeText, listTypes } from '../testing/chunks.ts';
import { publishedChunks } from '../testing/published-chunks.ts';
import { reduceInTest } from '../testing/reduced-transcripts.ts';
import { makeAgent, makeState } from '../testing/run-states.ts';
import { makeChunk } from './make-chunk.ts';
import { createRunTranscript, MAX_HELD_BYTES } from './run-transcript.ts';
import { reduceRun } from '../state/run-state.ts';

const transient = (): Chunk => Object.assign(dataChunk('now'), { transient: true });

function makeTranscript(release: Release) {
  const published = publishedChunks();
  published.publish([makeChunk('run-1', { type: 'start', payload: {} })]);
  const transcript = reduceInTest(release, published);
  return { transcript, published, text: () => makeText(published.visible()) };
}

/** The buffered chunks according to the state. */
function applyRecords(
  transcript: ReturnType<typeof makeTranscript>['transcript'],
  before: RunState = makeState(),
): RunState {
  return transcript.record().reduce(reduceRun, before);
}

describe('release: chunk', () => {
  test('releases each chunk at once', () => {
    const { transcript, published } = makeTranscript('chunk');
    transcript.append(say('Hel', 'lo.'));
    expect(listTypes(published.all)).toEqual(['start', 'text-start', 'text-delta', 'text-delta', 'text-end']);
    expect(transcript.getNextPlace()).toBe(5);
    expect(transcript.record()).toEqual([]);
  });

  test('releases the chunks that the lost owner had buffered before any new one', () => {
    const { transcript, text } = makeTranscript('chunk');
    transcript.restore(say('One.'));
    transcript.append(say('Two.'));
    expect(transcript.getNextPlace()).toBe(7);
    expect(text()).toBe('One.Two.');
  });
});

describe('release: step', () => {
  test('releases only transient chunks until the step is settled, and then as few chunks as possible', () => {
    const { transcript, published } = makeTranscript('step');
    transcript.append([dataChunk('x'), ...say('One. ', 'Two.'), transient()]);
    expect(listTypes(published.all)).toEqual(['start', 'data-now']);
    transcript.settle(2);
    expect(published.all.slice(2)).toEqual([dataChunk('x'), ...say('One. Two.')]);
    transcript.append(say('Later.'));
    expect(published.all).toHaveLength(6);
  });

  test('drops a buffered chunk that is retracted without a trace', () => {
    const { transcript, published, text } = makeTranscript('step');
    transcript.append(say('No.'));
    transcript.withdraw(1);
    transcript.append(say('Yes.'));
    transcript.settle(1);
    expect(text()).toBe('Yes.');
    expect(listTypes(published.all)).not.toContain('retract');
  });

  test('retracts settled chunks together with the buffered ones after them', () => {
    const { transcript, text } = makeTranscript('step');
    transcript.append(say('One.'));
    transcript.settle(1);
    transcript.append(say('Two.'));
    transcript.withdraw(1);
    transcript.append(say('Three.'));
    transcript.settle(1);
    expect(text()).toBe('Three.');
  });
});

describe('release: result', () => {
  test('releases nothing before the end, however many steps are settled', () => {
    const { transcript, published, text } = makeTranscript('result');
    transcript.append(say('One. '));
    transcript.settle(1);
    transcript.append(say('Two.'));
    transcript.settle(transcript.getNextPlace() - 3);
    expect(published.all).toHaveLength(1);
    transcript.release();
    expect(text()).toBe('One. Two.');
    transcript.append(say('!'));
    expect(text()).toBe('One. Two.!');
  });

  test('keeps the earlier steps when a step is retracted', () => {
    const { transcript, text } = makeTranscript('result');
    transcript.append(say('O', 'n', 'e.'));
    transcript.settle(1);
    const second = transcript.getNextPlace();
    transcript.append(say('Two.'));
    transcript.settle(second);
    transcript.withdraw(second);
    transcript.release();
    expect(text()).toBe('One.');
  });
});

describe('buffered chunks', () => {
  test('fail by code above the bound', () => {
    const publisher = publishedChunks();
    const [agent, ref] = [makeAgent({ release: 'result' }), { tenant: 'acme', runId: 'run-1' }];
    const transcript = createRunTranscript({ ref, agent, publisher, getState: makeState, dispatch: () => undefined });
    const many = Array.from({ length: 8 }, () => dataChunk('x', 'x'.repeat(MAX_HELD_BYTES / 8 - 1_000)));
    transcript.append(many);
    expect(() => transcript.append([dataChunk('x', 'x'.repeat(8_000))])).toThrow(
      expect.objectContaining({ code: 'release-hold-full' }),
    );
  });

  test('are recorded once, and the next owner buffers the same chunks', () => {
    const { transcript } = makeTranscript('result');
    transcript.append([dataChunk('x'), ...say('a', 'b')]);
    const first = applyRecords(transcript);
    expect(first.held).toEqual([dataChunk('x'), ...say('ab')]);
    expect(transcript.record()).toEqual([]);
    transcript.append([delta('c')]);
    const [action] = transcript.record();
    expect(action).toEqual({ action: 'chunks-held', keep: 4, chunks: [delta('c')] });
    const next = makeTranscript('result');
    next.transcript.restore(first.held);
    expect(next.transcript.record()).toEqual([]);
    next.transcript.release();
    expect(next.text()).toBe('ab');
  });

  test('leave the records when they are released or retracted', () => {
    const { transcript } = makeTranscript('step');
    transcript.append(say('One.'));
    const held = applyRecords(transcript);
    transcript.settle(1);
    const settled = applyRecords(transcript, held);
    expect(settled.held).toEqual([]);
    transcript.append(say('Two.', 'Three.'));
    const more = applyRecords(transcript, settled);
    transcript.withdraw(transcript.getNextPlace() - 1);
    expect(listTypes(applyRecords(transcript, more).held)).toEqual(['text-start', 'text-delta']);
  });

  test('are split into records that fit into one message each', () => {
    const { transcript } = makeTranscript('result');
    transcript.append(Array.from({ length: 5 }, () => dataChunk('x', 'x'.repeat(500_000))));
    expect(transcript.record()).toHaveLength(3);
  });
});

describe('a hold', () => {
  test('releases nothing, not even transient chunks, until it ends', () => {
    const { transcript, published } = makeTranscript('chunk');
    transcript.dispatch({ type: 'held' });
    transcript.append([...say('One.'), transient()]);
    expect(published.all).toHaveLength(1);
    expect(transcript.getNextPlace()).toBe(4);
    transcript.dispatch({ type: 'hold-ended' });
    expect(listTypes(published.all).slice(1)).toEqual(['text-start', 'text-delta', 'text-end', 'data-now']);
    transcript.append(say('Two.'));
    expect(published.all).toHaveLength(8);
  });

  test('keeps the places of the chunks that it releases, so that they can be retracted', () => {
    const { transcript, text } = makeTranscript('chunk');
    transcript.dispatch({ type: 'held' });
    transcript.append([delta('a'), delta('b')]);
    transcript.dispatch({ type: 'hold-ended' });
    transcript.withdraw(2);
    expect(text()).toBe('a');
  });

  test('of a run that releases by step releases transient chunks and keeps the rest', () => {
    const { transcript, published } = makeTranscript('step');
    transcript.dispatch({ type: 'held' });
    transcript.append([...say('One.'), transient()]);
    transcript.dispatch({ type: 'hold-ended' });
    expect(listTypes(published.all)).toEqual(['start', 'data-now']);
    transcript.settle(1);
    expect(makeText(published.all)).toBe('One.');
  });
});
