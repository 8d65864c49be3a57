// An operator's pattern whose repetitions nest, on a text that a backtracking matcher never ends with.
import { messageText } from '@millrace/contracts';
import { inputArgs } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { keyword } from '../keyword/keyword.ts';
import { regexFilter } from '../regex-filter/regex-filter.ts';
import { closeThreads } from '../work/task.ts';

const PATTERN = '(a+)+b';

afterAll(closeThreads);

test.each([
  ['keyword', keyword.create({ strategy: 'redact', patterns: [PATTERN] })],
  ['regex-filter', regexFilter.create({ strategy: 'redact', rules: [{ pattern: PATTERN }] })],
])('%s cannot be made to hang', async (_, processor) => {
  const text = `${'a'.repeat(200_000)}!`;
  const args = inputArgs([text]);
  await processor.processInput?.(args);
  expect(args.messageList.get.input.db().map(messageText)).toEqual([text]);
});
