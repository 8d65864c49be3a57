import type { RunEvent } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { buildRows, measureSpan } from './event-rows.ts';

const at = (ms: number) => ({ at: new Date(ms).toISOString(), epoch: 1, step: 0 });
const entry = (name: string, ms: number, more: object = {}) => ({
  entry: name,
  processor: name,
  verdict: 'continue',
  ms,
  attempts: 1,
  ...more,
});

describe('the rows of a waterfall', () => {
  const events: RunEvent[] = [
    {
      event: 'stage',
      ...at(1_100),
      stage: 'processInput',
      ms: 100,
      entries: [entry('a', 30), entry('b', 50, { verdict: 'abort', reason: 'No.' })],
    },
    { event: 'stage', ...at(1_160), stage: 'processOutputStep', ms: 50, entries: [entry('c', 40), entry('d', 45)] },
    { event: 'model', ...at(1_300), model: 'm', call: 2, ms: 120, finishReason: 'stop', fromCache: false },
    { event: 'run', ...at(1_310), status: 'aborted' },
  ];
  const rows = buildRows(events, 1_000);

  test('begin at the end of the event minus its duration', () => {
    expect(rows.map(({ startMs, ms }) => [startMs, ms])).toEqual([
      [0, 100],
      [110, 50],
      [180, 120],
      [310, 0],
    ]);
    expect(measureSpan(rows)).toBe(310);
  });

  test('Entries follow each other, and those of a group begin together', () => {
    expect(rows[0]?.entries.map(({ startMs }) => startMs)).toEqual([0, 30]);
    expect(rows[1]?.entries.map(({ startMs }) => startMs)).toEqual([110, 110]);
  });

  test('A stage has the tone of its worst entry', () => {
    expect(rows.map(({ tone }) => tone)).toEqual(['bad', 'ok', 'ok', 'off']);
    expect(rows[0]?.entries[1]).toMatchObject({ verdict: 'abort', reason: 'No.', tone: 'bad' });
  });

  test('An abort blocks if it ends the run, and sends the answer back if the run continues', () => {
    const judged = (ms: number, name = 'x'): RunEvent => ({
      event: 'stage',
      ...at(ms),
      stage: 'processOutputStep',
      ms: 5,
      entries: [entry(name, 5, { verdict: 'abort' })],
    });
    const model = (ms: number): RunEvent => ({
      event: 'model',
      ...at(ms),
      model: 'm',
      call: 1,
      ms: 5,
      finishReason: 'stop',
      fromCache: false,
    });
    const verdicts = (...list: RunEvent[]) =>
      buildRows(list).flatMap(({ entries }) => entries.map(({ verdict, tone }) => [verdict, tone]));
    const [back, blocked] = [
      ['sent-back', 'wait'],
      ['abort', 'bad'],
    ];
    const end = (status: 'finished' | 'aborted'): RunEvent => ({ event: 'run', ...at(90), status });
    expect(verdicts(model(10), judged(20), model(30), end('finished'))).toEqual([back]);
    expect(verdicts(model(10), judged(20), model(30), judged(40), end('aborted'))).toEqual([back, blocked]);
    expect(verdicts(model(10), judged(20))).toEqual([blocked]);
  });

  test('A run without events has no rows', () => {
    expect([buildRows([]), measureSpan([])]).toEqual([[], 1]);
  });
});
