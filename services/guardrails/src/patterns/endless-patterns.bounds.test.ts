// Tests nested repetitions in an operator's pattern, which would make a backtracking matcher run for hours.
import { readMessageText } from '@millrace/contracts';
import { inputArgs } from '@millrace/testkit';
import { afterEach, expect, test } from 'vitest';
import { keyword } from '../guards/keyword/keyword.ts';
import { regexFilter } from '../guards/regex-filter/regex-filter.ts';
import { pii } from '../guards/pii/pii.ts';
import { promptInjection } from '../guards/prompt-injection/prompt-injection.ts';
import { responseValidator } from '../guards/response-validator/response-validator.ts';
import { closeThreads } from '../work/task.ts';

const PATTERN = '(a+)+b';

afterEach(closeThreads);

test.each([
  ['keyword', keyword.create({ strategy: 'redact', patterns: [PATTERN] })],
  ['regex-filter', regexFilter.create({ strategy: 'redact', rules: [{ pattern: PATTERN }] })],
])('%s runs in linear time', async (_, processor) => {
  const text = `${'a'.repeat(200_000)}!`;
  const args = inputArgs([text]);
  await processor.processInput?.(args);
  expect(args.messageList.get.input.db().map(readMessageText)).toEqual([text]);
});

test('prompt-injection judges large patterns on another thread and accepts as many as other guards', async () => {
  const large = (count: number) =>
    Array.from({ length: count }, (_, at) => `[a-z ]{1,400}[0-9]${at}[a-z ]{1,400}[0-9]`);
  const refused = promptInjection.options.safeParse({ patterns: large(30) });
  expect(refused.error?.issues).toMatchObject([{ path: ['patterns'], message: expect.stringContaining('too large') }]);
  let threads = 0;
  const count = () => void (threads += 1);
  process.on('worker', count);
  const judged = promptInjection.create({ patterns: large(2) });
  await judged.processInput?.(inputArgs(['the quick brown fox says '.repeat(80)]));
  process.off('worker', count);
  expect(threads).toBeGreaterThan(0);
});

test('response-validator accepts as many patterns as other guards', () => {
  const large = (at: number) => ({ pattern: `[a-z ]{1,400}[0-9]${at}[a-z ]{1,400}[0-9]`, say: 'no' });
  const given = { mustMatch: [1, 2].map(large), mustNotMatch: [3, 4].map(large) };
  const refused = responseValidator.options.safeParse(given);
  expect(refused.error?.issues).toMatchObject([{ message: expect.stringContaining('too large') }]);
});

test.each([
  ['presets', regexFilter, { presets: Array.from({ length: 100 }, () => 'email') }],
  ['allow', pii, { allow: Array.from({ length: 1_001 }, (_, at) => `${at}@example.com`) }],
])('%s rejects too many patterns', (name, { options }, given) => {
  expect(options.safeParse(given).error?.issues).toMatchObject([{ path: [name], code: 'too_big' }]);
});
