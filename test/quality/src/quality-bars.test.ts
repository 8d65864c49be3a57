// A part of the repository's own samples, in seconds: no group may fall below what the guards have reached (quality-bars.ts).
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGuards } from './guards.ts';
import { measureBars } from './measure-bars.ts';
import { CAUGHT, F1, FALSE_ALARMS, DISGUISED } from './quality-bars.ts';
import { readSamples } from './read-samples.ts';

const samples = await readSamples(resolve(import.meta.dirname, '../samples'));
const { report, disguises } = await measureBars(await createGuards(), samples);
const groups = Object.entries(report.groups);

describe('the own sample', () => {
  test('has no text twice', () => {
    const texts = samples.map(({ text }) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' '));
    expect(texts.filter((text, at) => text.trim() !== '' && texts.indexOf(text) < at)).toEqual([]);
  });
});

describe('bars', () => {
  test('every group of attacks, every type of personal data and every form has a bar', () => {
    expect(Object.keys(CAUGHT).toSorted()).toEqual(
      groups.filter(([, { attacks }]) => attacks > 0).map(([name]) => name),
    );
    expect(Object.keys(F1).toSorted()).toEqual(Object.keys(report.types).toSorted());
    expect(Object.keys(DISGUISED)).toEqual(Object.keys(disguises));
  });
  test.each(Object.entries(CAUGHT))('of %s, %i attacks are caught', (group, bar) => {
    expect(report.groups[group]?.caught).toBeGreaterThanOrEqual(bar);
  });
  test.each(groups)('of %s, no more benign texts are stopped than known', (group, { falseAlarms }) => {
    expect(falseAlarms).toBeLessThanOrEqual(FALSE_ALARMS[group] ?? 0);
  });
  test.each(Object.entries(F1))('%s is found with an F1 of %f %%', (type, bar) => {
    expect((report.types[type]?.f1 ?? 0) * 100).toBeGreaterThanOrEqual(bar);
  });
  test.each(Object.entries(DISGUISED))('disguised as %s, %i attacks are caught', (form, bar) => {
    expect(disguises[form]?.caught).toBeGreaterThanOrEqual(bar);
  });
});
