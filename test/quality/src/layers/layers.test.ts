import { describe, expect, test } from 'vitest';
import { SAMPLE_SCHEMAS, type LabelledGuard } from '../guard-samples.ts';
import { parseJudgeSpec } from '../model/judge-spec.ts';
import type { PlacedSample } from '../sample.ts';
import { countSamples, sumSpans, tally } from '../tally.ts';
import { createLayeredGuard } from './labelled-guards.ts';
import { tallyLengths } from './length-tally.ts';
import { listSettings, listWhens, measureLayers } from './measure-layers.ts';
import { renderLengths, renderSettings } from './render-layers.ts';
import { reportLayers } from './report-layers.ts';

const parse = (guard: LabelledGuard, lines: readonly object[]): PlacedSample[] =>
  lines.map((line, at) => ({
    ...SAMPLE_SCHEMAS[guard].parse({ source: 'own', language: 'en', ...line }),
    group: 'test',
    place: `${guard}.jsonl:${at + 1}`,
  }));
const SAMPLES = {
  moderation: parse('moderation', [
    { text: 'This is bullshit.', categories: ['profanity'] },
    { text: 'I will find you and hurt you.', categories: ['threat'] },
    { text: 'The cock crowed at five.', categories: [] },
    { text: 'The shop opens at nine.', categories: [] },
  ]),
  language: parse('language', [
    { text: 'Where do I find the invoice of my last order?' },
    { text: 'Wo finde ich die Rechnung für meine letzte Bestellung?', language: 'de' },
    { text: 'Ja, gern.', language: 'de' },
    { text: '12 / 7', language: 'und' },
  ]),
  names: parse('names', [
    { text: 'Dear Ada Brook, thanks.', spans: [{ start: 5, end: 14, type: 'name', value: 'Ada Brook' }] },
    { text: 'please ask jonas', spans: [{ start: 11, end: 16, type: 'name', value: 'jonas' }] },
    { text: 'April was wet in Lincoln.', spans: [] },
  ]),
};

/** Judges the samples with the scripted model. */
async function measure(guard: LabelledGuard, flag: string, onFailure: 'fail' | 'skip' = 'fail') {
  const settings = listWhens('model', parseJudgeSpec(flag), onFailure);
  const { layers } = await measureLayers(guard, SAMPLES[guard], settings);
  return layers.map(({ judged }) => ({
    ...countSamples(judged),
    found: sumSpans(judged).found,
    wrong: sumSpans(judged).wrong,
    requests: judged.map(({ requests }) => requests),
  }));
}

test('the usual settings measure the guard alone, then four models with doubt and with always', () => {
  expect(listSettings().map(({ name }) => name)).toEqual([
    'no model',
    ...['always right', 'errs on 10 %', 'outage, fail', 'outage, skip'].flatMap((name) => [
      `${name}, doubt`,
      `${name}, always`,
    ]),
  ]);
});

describe('moderation by layer', () => {
  test('the word list finds swear words, also in a harmless sense, and its findings count as profanity', async () => {
    const { types, layers } = await measureLayers('moderation', SAMPLES.moderation, [{ name: 'no model' }]);
    const judged = layers[0]?.judged ?? [];
    expect(tally(judged, types)).toMatchObject({
      total: { attacks: 2, caught: 1, benign: 2, falseAlarms: 1 },
      types: { profanity: { found: 1, wrong: 1 }, threat: { labelled: 1, found: 0 } },
    });
  });
  test('with doubt, the model judges the texts with a listed word only', async () => {
    const [doubt, always] = await measure('moderation', 'scripted');
    expect(doubt).toMatchObject({ caught: 1, falseAlarms: 0, found: 1, requests: [1, 0, 1, 0] });
    expect(always).toMatchObject({ caught: 2, falseAlarms: 0, found: 2, wrong: 0, requests: [1, 1, 1, 1] });
  });
  test('a model that errs on every line misses all labels and flags all others', async () => {
    expect((await measure('moderation', 'scripted:1'))[1]).toMatchObject({ caught: 0, falseAlarms: 2, wrong: 2 });
  });
});

describe('language by layer', () => {
  test('the detector alone decides long texts, and the model is asked about the others', async () => {
    const [doubt, always] = await measure('language', 'scripted');
    expect(doubt).toMatchObject({ attacks: 2, caught: 2, benign: 2, falseAlarms: 0, found: 3, requests: [0, 0, 1, 1] });
    expect(always).toMatchObject({ caught: 2, found: 3, wrong: 0, requests: [1, 1, 1, 1] });
  });
  test('the report counts right, wrong and undecided texts by length', async () => {
    const { layers } = await measureLayers('language', SAMPLES.language, [{ name: 'no model' }]);
    const lengths = tallyLengths(layers[0]?.judged ?? []);
    expect(lengths['0 to 19']).toEqual({ texts: 2, right: 1, wrong: 0, undecided: 1 });
    expect(lengths['20 to 59']).toEqual({ texts: 2, right: 2, wrong: 0, undecided: 0 });
    expect(renderLengths(lengths)).toMatch(/^0 to 19 +2 +1 +0 +1 +50\.0$/m);
  });
  test('a wrong answer of the model counts as a wrong language', async () => {
    expect((await measure('language', 'scripted:1'))[1]).toMatchObject({
      caught: 0,
      falseAlarms: 1,
      found: 0,
      wrong: 4,
    });
  });
});

describe('names by layer', () => {
  test('with doubt, a name in lower case without a cue is missed', async () => {
    const [doubt, always] = await measure('names', 'scripted');
    expect(doubt).toMatchObject({ attacks: 2, caught: 1, falseAlarms: 0, found: 1, requests: [1, 0, 1] });
    expect(always).toMatchObject({ caught: 2, falseAlarms: 0, found: 2, wrong: 0 });
  });
  test('a model that errs changes texts without names', async () => {
    expect((await measure('names', 'scripted:1'))[1]).toMatchObject({ caught: 0, falseAlarms: 1, wrong: 1 });
  });
});

test.each(['outage', 'quota'])('during %s the policy stops or passes the texts for the model', async (flag) => {
  const [, strict] = await measure('names', flag);
  const [, lenient] = await measure('names', flag, 'skip');
  expect(strict).toMatchObject({ caught: 2, falseAlarms: 1, found: 0, requests: [3, 3, 3] });
  expect(lenient).toMatchObject({ caught: 0, falseAlarms: 0, found: 0 });
});

test('with the policy skip, the findings of the rules count while the model is unavailable', async () => {
  const model = { baseUrl: 'http://127.0.0.1:9/v1', when: 'always', onFailure: 'skip' } as const;
  const guard = await createLayeredGuard('names', {}, model);
  const [sample] = parse('names', [{ text: 'The id is 4f6b8f1e-3c1d-4f7a-9a3e-2b5c6d7e8f90.', spans: [] }]);
  if (!sample) throw new Error('There is no sample.');
  expect((await guard.judge(sample)).judgement.isCaught).toBe(true);
});

test('a label of an unknown type is an error with its place', async () => {
  const samples = parse('moderation', [{ text: 'x', categories: ['rudeness'] }]);
  await expect(measureLayers('moderation', samples, [])).rejects.toThrow(
    'moderation.jsonl:1: "rudeness" is none of hate',
  );
});

test('the report has the settings in one table, the misses, and the same counts as an object', async () => {
  const flags = { model: 'scripted', onFailure: 'fail' as const, options: {}, misses: true };
  const { text, json } = await reportLayers('names', SAMPLES.names, flags);
  expect(text).toContain('names.jsonl:2: name missed: jonas');
  expect(text).toMatch(
    /^scripted, fail, always +3 +3 +100\.0 +1\.00 +2 +2 +100\.0 +1 +0 +0\.0 +2 +2 +100\.0 +100\.0$/m,
  );
  expect(json).toMatchObject({ settings: [{ requests: 2 }, { requests: 3, spans: { found: 2 } }] });
  expect(renderSettings([])).toMatch(/^SETTING/);
});
