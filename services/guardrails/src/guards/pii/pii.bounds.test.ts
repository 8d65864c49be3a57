// Tests messages and deltas of extreme size.
import { inputArgs } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { streamText } from '../../testing/stream-text.ts';
import { measureCpuMs } from '../../testing/cpu-ms.ts';
import { preparePii } from './find-pii.ts';
import { piiOptions } from './pii-options.ts';
import { PII_TYPES } from './pii-types.ts';
import { pii } from './pii.ts';

const SECRET = 'ada@example.com';
const find = preparePii(piiOptions.parse({ types: PII_TYPES.filter((type) => type !== 'url') }));

test('a message with many values is reported by count, with a bounded list of places', async () => {
  const args = inputArgs([Array.from({ length: 5_000 }, (_, at) => `ada${at}@example.com`).join(' ')]);
  await pii.create({}).processInput?.(args);
  expect(args.violations).toMatchObject([{ rule: 'email', count: 5_000 }]);
  expect(JSON.stringify(args.violations).length).toBeLessThan(4_000);
});

test('the cost of a placeholder does not depend on their number', async () => {
  const measureCost = async (count: number) => {
    const args = inputArgs([Array.from({ length: count }, (_, at) => `ada${at}@example.com`).join(' ')]);
    const processor = pii.create({ method: 'placeholder' });
    const before = process.cpuUsage();
    await processor.processInput?.(args);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  };
  await measureCost(1_000);
  // A search through all known values for each new one took twenty times as long.
  expect(await measureCost(8_000)).toBeLessThan((await measureCost(1_000)) * 8 + 100);
});

test('a delta of two megabytes passes like small ones and does not block other calls for long', async () => {
  const text = `${'words and words, '.repeat(120_000)}${SECRET} end`;
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const { passed } = await streamText(pii.create({}), text, [text.length], 'text');
  clearInterval(counting);
  expect(passed.join('')).toBe(text.replace(SECRET, '***@***.***'));
  expect(turns).toBeGreaterThan(10);
});

test.each([
  '01 0000 0000, ',
  '4 ',
  '1a@',
  '4111-',
  '+1 ',
  '2:',
  'DE12 ',
  'born 1 ',
  'call 1 ',
  '://a=',
  '555-12-',
  'api key is "" ',
])('pii judges 50,000 characters of %j in bounded time', (piece) => {
  expect(measureCpuMs(() => find([`${piece.repeat(Math.ceil(50_000 / piece.length))}1`]))).toBeLessThan(3_000);
});
