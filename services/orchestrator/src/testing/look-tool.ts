// A tool in a plan, for runs that call one; idempotent by default.
import type { ToolDefinition } from '@millrace/contracts';

export const lookTool = (more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name: 'look',
  description: 'looks',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.tools.look',
  idempotent: true,
  timeoutMs: 20_000,
  ...more,
});

/** The calls of a model that uses it. */
export const lookCalls = (input = '{}') => [{ toolCallId: 'c1', toolName: 'look', input }];
