// Messages and deltas far larger than usual.
import { inputArgs } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { streamText } from '../testing/stream-text.ts';
import { cpuMs } from '../testing/cpu-ms.ts';
import { preparePii } from './find-pii.ts';
import { piiOptions } from './pii-options.ts';
import { PII_TYPES } from './pii-types.ts';
import { pii } from './pii.ts';

const SECRET = 'ada@example.com';
const find = preparePii(piiOptions.parse({ types: PII_TYPES.filter((type) => type !== 'url') }));

test('a message full of values is reported by count, with no more places than a report lists', async () => {
  const args = inputArgs([Array.from({ length: 5_000 }, (_, at) => `ada${at}@example.com`).join(' ')]);
  await pii.create({}).processInput?.(args);
  expect(args.violations).toMatchObject([{ rule: 'email', count: 5_000 }]);
  expect(JSON.stringify(args.violations).length).toBeLessThan(4_000);
});

test('placeholders of many values cost no more each than of few', async () => {
  const costOf = async (count: number) => {
    const args = inputArgs([Array.from({ length: count }, (_, at) => `ada${at}@example.com`).join(' ')]);
    const processor = pii.create({ method: 'placeholder' });
    const before = process.cpuUsage();
    await processor.processInput?.(args);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  };
  await costOf(1_000);
  // With a look at all that are known for each new one it was twenty times as much.
  expect(await costOf(8_000)).toBeLessThan((await costOf(1_000)) * 8 + 100);
});

test('a delta of two megabytes passes as it would in small ones, and holds up nobody for long', async () => {
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
])('50,000 characters of %j are judged in bounded time', (piece) => {
  expect(cpuMs(() => find([`${piece.repeat(Math.ceil(50_000 / piece.length))}1`]))).toBeLessThan(3_000);
});
