import { expect, test } from 'vitest';
import { delta } from '../testing/chunks.ts';
import { openComparison } from '../testing/compared-output.ts';

const DELTAS = 40_000;
/** A comparison that keeps matched text takes over 5 s, one that copies the held text for each delta about 3 s. */
const MAX_CPU_MS = 1_500;

test('The comparison of a stream that always holds a character back takes linear time', () => {
  const output = openComparison();
  const before = process.cpuUsage();
  output.recordGiven([delta('sixteen letters.')]);
  output.compare([delta('sixteen letters')]);
  for (let count = 0; count < DELTAS; count += 1) {
    output.recordGiven([delta('sixteen letters.')]);
    expect(output.compare([delta('.sixteen letters')])).toBeUndefined();
  }
  const { user, system } = process.cpuUsage(before);
  expect(output.findMissing()).toBe('text-delta');
  expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
});

test('The comparison of a stream that holds much text back takes linear time', () => {
  const output = openComparison();
  const HELD = DELTAS / 4;
  const numberText = (count: number) => delta(String(count).padEnd(20, '.'));
  const before = process.cpuUsage();
  for (let count = 0; count < HELD; count += 1) output.recordGiven([numberText(count)]);
  for (let count = HELD; count < DELTAS; count += 1) {
    output.recordGiven([numberText(count)]);
    expect(output.compare([numberText(count - HELD)])).toBeUndefined();
  }
  const { user, system } = process.cpuUsage(before);
  expect(output.findMissing()).toBe('text-delta');
  expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
});
