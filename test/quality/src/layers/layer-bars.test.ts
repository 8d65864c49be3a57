// Judges all samples of the three guards: no count may be worse than the bar, which is the count at its last change.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { LabelledGuard } from '../guard-samples.ts';
import { readSamples } from '../read-samples.ts';
import { countSamples, sumSpans } from '../tally.ts';
import { listWhens, measureLayers, type LayerSetting } from './measure-layers.ts';

const ALONE: LayerSetting[] = [{ name: 'no model' }];
const DOUBT = listWhens('always right', { kind: 'scripted', errorRate: 0 }, 'fail').slice(0, 1);

async function measure(guard: LabelledGuard, settings: LayerSetting[]) {
  const samples = await readSamples(resolve(import.meta.dirname, '../../samples'), guard);
  const [layer] = (await measureLayers(guard, samples, settings)).layers;
  return { ...countSamples(layer?.judged ?? []), ...sumSpans(layer?.judged ?? []) };
}

test('the word list of moderation stops 25 texts to stop and at most 24 benign ones', async () => {
  const { caught, falseAlarms } = await measure('moderation', ALONE);
  expect(caught).toBeGreaterThanOrEqual(25);
  expect(falseAlarms).toBeLessThanOrEqual(24);
});

test('the detector finds 193 languages, at most 10 wrongly, and stops no English text', async () => {
  const { found, wrong, falseAlarms } = await measure('language', ALONE);
  expect(found).toBeGreaterThanOrEqual(193);
  expect(wrong).toBeLessThanOrEqual(10);
  expect(falseAlarms).toBe(0);
});

test('with doubt and a model that is always right, pii finds 177 names and addresses and marks one other word', async () => {
  const { found, wrong, falseAlarms } = await measure('names', DOUBT);
  expect(found).toBeGreaterThanOrEqual(177);
  expect(wrong).toBeLessThanOrEqual(1);
  expect(falseAlarms).toBe(0);
});
