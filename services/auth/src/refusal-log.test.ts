import { createCollectedLog } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { createRefusalLog } from './refusal-log.ts';

test('A second has ten lines at most, and the next one has the number of those that were left out', () => {
  const log = createCollectedLog();
  let now = 5_000;
  const refuse = createRefusalLog(log, () => now);
  for (let n = 0; n < 25; n += 1) refuse({ refused: 'wrong', keyId: 'abcdefgh' });
  expect(log.lines).toHaveLength(10);
  now = 6_000;
  refuse({ refused: 'wrong' });
  expect(log.lines.slice(10).map(({ message, fields }) => [message, fields])).toEqual([
    ['more credentials were refused', { count: 15 }],
    ['a credential is refused', { reason: 'wrong' }],
  ]);
});
