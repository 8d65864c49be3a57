import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';

test('gives the first answer that is there', async () => {
  const answers = [undefined, null, false, 0];
  expect(await eventually(() => answers.shift())).toBe(0);
});

test('eventually repeats a condition that throws, and reports the error at the timeout', async () => {
  let tries = 0;
  const failing = () => {
    tries += 1;
    throw new Error('not yet');
  };
  await expect(eventually(failing, { timeoutMs: 40, pollMs: 1 })).rejects.toThrow('not so within 40 ms: not yet');
  expect(tries).toBeGreaterThan(2);
});

test('waits for conditions that answer later', async () => {
  let asked = 0;
  expect(await eventually(async () => (++asked === 3 ? 'third' : undefined), { pollMs: 1 })).toBe('third');
});
