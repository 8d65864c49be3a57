// A tool that calls in tests and measurements are made of.
import type { ToolDefinition } from '@millrace/contracts';

export const NOTES_TOOL: ToolDefinition = {
  name: 'notes',
  description: '',
  inputSchema: {},
  subject: 'tool.notes',
  idempotent: true,
  timeoutMs: 1_000,
};
