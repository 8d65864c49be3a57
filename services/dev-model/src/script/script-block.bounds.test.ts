import { expect, test } from 'vitest';
import { withoutScripts } from './script-block.ts';

test('taking scripts out costs time in proportion to the text, where thousands never close', () => {
  const hostile = '```script['.repeat(200_000);
  const before = process.cpuUsage();
  withoutScripts(hostile);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(2_000_000);
});
