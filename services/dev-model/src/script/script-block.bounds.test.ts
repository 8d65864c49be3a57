import { expect, test } from 'vitest';
import { stripScripts } from './script-block.ts';

test('removing scripts takes linear time, even with thousands of unclosed blocks', () => {
  const hostile = '```script['.repeat(200_000);
  const before = process.cpuUsage();
  stripScripts(hostile);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(2_000_000);
});
