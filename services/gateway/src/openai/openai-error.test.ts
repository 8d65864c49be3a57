import { MillraceError } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { describeOpenAiError } from './openai-error.ts';

test.each([
  ['clientTools', 'tools'],
  ['clientTools[3].name', 'tools[3].name'],
  ['toolChoice', 'tool_choice'],
  ['modelSettings.stopSequences', 'stop'],
  ['messages[0].role', 'messages[0].role'],
])('An error of a run at %s names the member of the protocol, %s', (path, param) => {
  const error = new MillraceError('run-refused', 'No.', { path });
  expect(describeOpenAiError(error).error.param).toBe(param);
});
test('An error without a path names no member', () => {
  expect(describeOpenAiError(new MillraceError('run-refused', 'No.')).error.param).toBeNull();
});
