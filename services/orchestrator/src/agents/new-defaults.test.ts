import type { JsonObject, Plan } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { warnOfOldDefaults, warnOfRefusedFiles } from './default-warnings.ts';
import { addNewDefaults } from './entry-uses.ts';

describe('options of agents that are applied from now on', () => {
  const newDefaults = { options: { toolResults: 'warn' }, unless: 'strategy' };
  test.each([
    ['are added to an entry without options', {}, { toolResults: 'warn' }],
    ['give way to those of the entry', { toolResults: 'strategy' }, { toolResults: 'strategy' }],
    ['are absent if the entry sets the other option', { strategy: 'block' }, { strategy: 'block' }],
  ])('The new defaults %s', (_what, options, expected) => {
    expect(addNewDefaults({ newDefaults }, options)).toEqual(expected);
  });
  test('A processor without new defaults changes nothing', () =>
    expect(addNewDefaults({}, { a: 1 })).toEqual({ a: 1 }));
});

describe('the plan of a stored agent', () => {
  const newDefaults = { options: { toolResults: 'warn' }, unless: 'strategy' };
  const listWarnings = (options: JsonObject) =>
    warnOfOldDefaults(makePlan([planEntry('guard', { options })], []), () => ({ newDefaults }));
  test('An entry with the former defaults has a hint that names the new ones', () => {
    expect(listWarnings({})).toMatchObject([
      { code: 'default-changed', message: expect.stringContaining('toolResults: "warn"') },
    ]);
  });
  test.each([[{ toolResults: 'warn' }], [{ strategy: 'block' }]])('An entry with %j has none', (options) => {
    expect(listWarnings(options)).toEqual([]);
  });
});

describe('files of an agent that judges text', () => {
  const judging = makePlan([planEntry('guard', { judgesText: true })]);
  const observing = makePlan([planEntry('guard', { judgesText: true, observe: true })]);
  const warn = (plan: Plan) => warnOfOldDefaults(plan, () => undefined);

  test('The plan of an earlier version has a hint that files pass', () => {
    expect(warn(judging)).toMatchObject([
      { code: 'default-changed', message: expect.stringContaining('files: "refuse"') },
    ]);
  });
  test.each([
    [{ ...judging, files: 'pass' as const }],
    [{ ...judging, files: 'refuse' as const }],
    [observing],
    [makePlan([])],
  ])('The plan %# has none', (plan) => expect(warn(plan)).toEqual([]));

  test('A definition that is applied again warns if it now refuses files by default', () => {
    const applied = { agent: {}, plan: { ...judging, files: 'refuse' as const } };
    expect(warnOfRefusedFiles(judging, applied)).toMatchObject([{ code: 'default-changed' }]);
    expect(warnOfRefusedFiles(applied.plan, applied)).toEqual([]);
    expect(warnOfRefusedFiles(judging, { ...applied, agent: { files: 'refuse' } })).toEqual([]);
  });
});
