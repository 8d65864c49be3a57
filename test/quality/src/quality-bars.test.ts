// Judges a part of the repository's samples in seconds: no group may fall below its bar (quality-bars.ts).
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGuards } from './guards.ts';
import { measureBars } from './measure-bars.ts';
import { CAUGHT, F1, FALSE_ALARMS, DISGUISED } from './quality-bars.ts';
import { readSamples } from './read-samples.ts';

const samples = await readSamples(resolve(import.meta.dirname, '../samples'));
const { report, disguises } = await measureBars(await createGuards(), samples);
const groups = Object.entries(report.groups);

describe("the repository's samples", () => {
  test('the samples contain no text twice', () => {
    const texts = samples.map(({ text }) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' '));
    expect(texts.filter((text, at) => text.trim() !== '' && texts.indexOf(text) < at)).toEqual([]);
  });
});

describe('quality bars', () => {
  test('every group of attacks, every type of personal data and every form has a bar', () => {
    expect(Object.keys(CAUGHT).toSorted()).toEqual(
      groups.filter(([, { attacks }]) => attacks > 0).map(([name]) => name),
    );
    expect(Object.keys(F1).toSorted()).toEqual(Object.keys(report.types).toSorted());
    expect(Object.keys(DISGUISED)).toEqual(Object.keys(disguises));
  });
  test.each(Object.entries(CAUGHT))('of %s, the guards catch %i attacks', (group, bar) => {
    expect(report.groups[group]?.caught).toBeGreaterThanOrEqual(bar);
  });
  test.each(groups)('of %s, the guards stop no more benign texts than before', (group, { falseAlarms }) => {
    expect(falseAlarms).toBeLessThanOrEqual(FALSE_ALARMS[group] ?? 0);
  });
  test.each(Object.entries(F1))('pii finds %s with an F1 of %f %%', (type, bar) => {
    expect((report.types[type]?.f1 ?? 0) * 100).toBeGreaterThanOrEqual(bar);
  });
  test.each(Object.entries(DISGUISED))('in the disguise %s, the guards catch %i attacks', (form, bar) => {
    expect(disguises[form]?.caught).toBeGreaterThanOrEqual(bar);
  });
});
