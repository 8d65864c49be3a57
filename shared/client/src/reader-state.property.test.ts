import { MillraceError, type Chunk, type RunStatus } from '@millrace/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startMerge } from './chunk-merge.ts';
import {
  receiveFailure,
  receiveLive,
  receiveReplay,
  startReading,
  type ReaderState,
  type ReaderStep,
} from './reader-state.ts';
import { REPLAY_LIMITS as limits } from './replay-pace.ts';

const runId = 'run-1';
const COUNT = 12;
/** A run of text chunks; the last one ends it. */
const run: readonly Chunk[] = Array.from({ length: COUNT }, (_, at): Chunk =>
  at < COUNT - 1
    ? { type: 'text-delta', runId, from: 'AGENT', payload: { id: 't', text: String(at) } }
    : { type: 'abort', runId, from: 'AGENT', payload: {} },
);
const buildBatch = (from: number, to: number) => ({ epoch: 1, index: from, chunks: run.slice(from, to) });
const answer = (status: RunStatus, from = 0, to = 0) => ({
  status,
  complete: to === COUNT,
  batches: to > from ? [buildBatch(from, to)] : [],
});

type Told =
  | { kind: 'live'; from: number; count: number }
  /** The log has the chunks up to `to`. */
  | { kind: 'replay'; to: number }
  | { kind: 'failure' };
const toldArbitrary = fc.oneof(
  fc.record({
    kind: fc.constant('live' as const),
    from: fc.nat(COUNT - 1),
    count: fc.integer({ min: 1, max: COUNT }),
  }),
  fc.record({ kind: fc.constant('replay' as const), to: fc.nat(COUNT) }),
  fc.record({ kind: fc.constant('failure' as const) }),
);

function tell(state: ReaderState, told: Told, now: number): ReaderStep {
  if (told.kind === 'live') return receiveLive(state, buildBatch(told.from, told.from + told.count), limits);
  if (told.kind === 'failure')
    return receiveFailure(state, new MillraceError('timeout', 'late'), now, { unknownForMs: 0, limits });
  const status = told.to === COUNT ? 'finished' : 'running';
  return receiveReplay(state, answer(status, state.merge.next.index, told.to), now, limits);
}

describe('a reader', () => {
  test('passes each chunk once and in order, whatever arrives, and ends with the last one', () => {
    fc.assert(
      fc.property(fc.array(toldArbitrary, { maxLength: 40 }), fc.boolean(), (all, isLate) => {
        let state = startReading(startMerge(), isLate);
        const indexes: number[] = [];
        let isEnded = false;
        for (const [now, told] of all.entries()) {
          if (isEnded) break;
          const step = tell(state, told, now);
          state = step.state;
          indexes.push(...step.chunks.map(({ index }) => index));
          isEnded = step.ended !== undefined;
          expect(step.ended?.error).toBeUndefined();
        }
        expect(indexes).toEqual(Array.from({ length: indexes.length }, (_, at) => at));
        expect(isEnded).toBe(indexes.length === COUNT);
      }),
    );
  });

  test('requests a replay at once if a batch leaves a gap, and after a silence if a batch has closed it', () => {
    const open = receiveLive(startReading(startMerge(), false), buildBatch(2, 4), limits);
    expect(open).toMatchObject({ chunks: [], wait: 0 });
    const wider = receiveLive(open.state, buildBatch(6, 7), limits);
    expect(wider.wait).toBeUndefined();
    const closed = receiveLive(open.state, buildBatch(0, 2), limits);
    expect(closed).toMatchObject({ chunks: [{ index: 0 }, { index: 1 }, { index: 2 }, { index: 3 }] });
    expect(closed.wait).toBe(limits.silenceMs);
    expect(receiveLive(closed.state, buildBatch(4, 5), limits).wait).toBe('again');
  });

  test('ends at once if it rejoins an ended run after the last chunk', () => {
    const rejoin = () => startReading(startMerge({ epoch: 1, index: COUNT }), true);
    expect(receiveReplay(rejoin(), answer('finished', COUNT, COUNT), 0, limits)).toMatchObject({
      chunks: [],
      ended: {},
    });
    // A suspended run continues with its answer.
    expect(receiveReplay(rejoin(), answer('suspended', COUNT, COUNT), 0, limits).ended).toBeUndefined();
  });

  test('gives up if the last chunks of an ended run are missing for the limit, measured from the first request', () => {
    const first = receiveReplay(startReading(startMerge(), true), answer('finished'), 1_000, limits);
    expect(first.ended).toBeUndefined();
    const before = receiveReplay(first.state, answer('finished'), 1_000 + limits.giveUpMs - 1, limits);
    expect(before.ended).toBeUndefined();
    const late = receiveReplay(before.state, answer('finished'), 1_000 + limits.giveUpMs, limits);
    expect(late.ended?.error).toMatchObject({ code: 'chunks-gone' });
    const moved = receiveReplay(before.state, answer('finished', 0, 1), 1_000 + limits.giveUpMs, limits);
    expect(moved).toMatchObject({ chunks: [{ index: 0 }], wait: 0 });
    expect(moved.state.stalledAt).toBeUndefined();
  });

  test('ends at once with an error that a retry cannot mend, and after the limit with a temporary one', () => {
    const reading = startReading(startMerge(), true);
    const fail = (code: 'run-unknown' | 'permission-denied' | 'timeout', now: number, state = reading) =>
      receiveFailure(state, new MillraceError(code, code), now, { unknownForMs: 5_000, limits });
    expect(fail('permission-denied', 0).ended?.error).toMatchObject({ code: 'permission-denied' });
    const unknown = fail('run-unknown', 0);
    expect(unknown).toMatchObject({ wait: limits.retryMs });
    expect(fail('run-unknown', 4_999, unknown.state)).toMatchObject({ wait: 2 * limits.retryMs });
    expect(fail('run-unknown', 5_000, unknown.state).ended?.error).toMatchObject({ code: 'run-unknown' });
    const away = fail('timeout', 0);
    expect(fail('timeout', limits.giveUpMs, away.state).ended?.error).toMatchObject({ code: 'timeout' });
    // An answer of the active run ends the outage.
    const answered = receiveReplay(away.state, answer('running'), limits.giveUpMs, limits);
    expect(fail('timeout', limits.giveUpMs + 1, answered.state).ended).toBeUndefined();
  });
});
