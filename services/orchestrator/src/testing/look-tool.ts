// A tool as a plan has it, for runs whose model calls one: by default it may be called again.
import type { ToolDefinition } from '@millrace/contracts';

export const lookTool = (more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name: 'look',
  description: 'looks',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.look',
  idempotent: true,
  timeoutMs: 20_000,
  ...more,
});

/** What a model says that calls it. */
export const lookCalls = (input = '{}') => [{ toolCallId: 'c1', toolName: 'look', input }];
