import { matchesToolName } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { approvalGate } from '../limits/approval-gate/approval-gate.ts';
import { toolAllowList } from '../limits/tool-allow-list/tool-allow-list.ts';

test.each(['*feedback', 'send?feedback', 'send.*', 'send feedback', 'send**', '/send/', '', 'ünicode'])(
  'the pattern "%s", which matches no tool as intended, is rejected in options',
  (pattern) => {
    expect(approvalGate.options.safeParse({ tools: [pattern] }).success).toBe(false);
    expect(toolAllowList.options.safeParse({ deny: [pattern] }).success).toBe(false);
    expect(toolAllowList.options.safeParse({ rules: [{ allow: [pattern] }] }).success).toBe(false);
  },
);

test.each([
  ['send-feedback', 'send-feedback', true],
  ['send-*', 'send-feedback', true],
  ['*', 'send-feedback', true],
  ['send', 'send-feedback', false],
  ['Send-*', 'send-feedback', false],
])('the pattern "%s" and the tool "%s": %s', (pattern, tool, matches) => {
  expect(approvalGate.options.safeParse({ tools: [pattern] }).success).toBe(true);
  expect(matchesToolName([pattern], tool)).toBe(matches);
});
