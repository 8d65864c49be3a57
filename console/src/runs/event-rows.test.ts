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

  test('A run without events has no rows', () => {
    expect([buildRows([]), measureSpan([])]).toEqual([[], 1]);
  });
});
