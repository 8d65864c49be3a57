import { expect, test } from 'vitest';
import { withoutScripts } from './script-block.ts';

test('taking scripts out costs time in proportion to the text, where thousands never close', () => {
  const hostile = '```script['.repeat(200_000);
  const begun = performance.now();
  withoutScripts(hostile);
  expect(performance.now() - begun).toBeLessThan(2_000);
});
