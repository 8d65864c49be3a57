import { describe, expect, test } from 'vitest';
import { makePlan, planEntry } from '../testing/plan-entries.ts';
import { warnOfKeptEntries } from './overridable.ts';

const makeOverridden = (required: boolean, ...names: string[]) => ({
  ...makePlan([planEntry('guard', { required: true }), ...names.map((name) => planEntry(name, { required }))]),
  overridable: {},
});

describe('a definition that is applied again', () => {
  test('has a warning that names the entries which overrides replaced before', () => {
    const [warning, ...more] = warnOfKeptEntries(
      makeOverridden(false, 'pii', 'keyword'),
      makeOverridden(true, 'pii', 'keyword', 'new'),
    );
    expect(warning).toMatchObject({ code: 'entries-kept', message: expect.stringMatching(/stay: pii, keyword\.$/) });
    expect(more).toEqual([]);
  });

  test.each([
    ['its entries stay as before', makeOverridden(true, 'pii'), makeOverridden(true, 'pii')],
    ['its entries are replaceable', makeOverridden(false, 'pii'), makeOverridden(false, 'pii')],
    [
      'it no longer has overrides',
      makeOverridden(false, 'pii'),
      { ...makeOverridden(true, 'pii'), overridable: undefined },
    ],
    ['it had no overrides', { ...makeOverridden(false, 'pii'), overridable: undefined }, makeOverridden(true, 'pii')],
    ['memory stays, as in every run', memory(false), memory(true)],
    ['an entry has a name that every object has', makeOverridden(false), makeOverridden(true, 'constructor')],
  ])('has none if %s', (_what, stored, plan) => {
    expect(warnOfKeptEntries(stored, plan)).toEqual([]);
  });
});

function memory(required: boolean) {
  return { ...makePlan([planEntry('message-history', { required, memory: true })]), overridable: {} };
}
