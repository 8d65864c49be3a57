import type { StoredChanges } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { selectChanges } from './read-changes.ts';

const makeStored = (epoch: number, more: Partial<StoredChanges> = {}): StoredChanges => ({
  epoch,
  at: '2026-01-01T00:00:00.000Z',
  omitted: 1,
  changes: [
    {
      step: epoch,
      stage: 'processInput',
      verdict: more.isPartial ? 'suspend' : 'continue',
      entry: 'e',
      violations: [],
    },
  ],
  ...more,
});
const select = (epoch: number, ...all: StoredChanges[]) => {
  const { changes, ...rest } = selectChanges(all, epoch);
  return { ...rest, changes: changes.map(({ step, verdict }) => `${step} ${verdict}`) };
};

describe('selectChanges', () => {
  test('The changes of an owner that suspended the run precede those of the owner that ended it', () => {
    expect(select(2, makeStored(2), makeStored(1, { isPartial: true }))).toEqual({
      changes: ['1 suspend', '2 continue'],
      omitted: 2,
      lost: 0,
    });
  });

  test('The ending of a replaced owner does not count, and its changes are lost', () => {
    expect(select(2, makeStored(1), makeStored(2))).toEqual({ changes: ['2 continue'], omitted: 1, lost: 1 });
  });

  test('The ending replaces the masks that the same owner stored before', () => {
    expect(select(1, makeStored(1, { isPartial: true }), makeStored(1))).toMatchObject({ changes: ['1 continue'] });
  });

  test('A run without stored changes has lost none', () => {
    expect(select(3)).toEqual({ changes: [], omitted: 0, lost: 0 });
  });
});
