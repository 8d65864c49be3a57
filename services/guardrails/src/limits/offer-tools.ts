// Restricts the tools that a step offers to the model.
import type { ToolDefinition } from '@millrace/contracts';
import type { ProcessInputStepArgs, ProcessInputStepResult } from '@millrace/processor';

/** Never restores a tool that an earlier processor removed. A forced choice of a tool that is not offered any more becomes `auto`. */
export function offerTools(
  args: ProcessInputStepArgs,
  isOffered: (toolName: string) => boolean,
): ProcessInputStepResult {
  const { tools, toolChoice } = args;
  const offered = Object.values(tools).filter(({ name }) => args.activeTools?.includes(name) ?? true);
  const allowed = offered.filter(({ name }) => isOffered(name));
  if (allowed.length === offered.length) return undefined;
  const isForced = typeof toolChoice === 'object' ? !has(allowed, toolChoice.toolName) : allowed.length === 0;
  return { activeTools: allowed.map(({ name }) => name), ...(isForced && toolChoice && { toolChoice: 'auto' }) };
}

const has = (tools: readonly ToolDefinition[], wanted: string): boolean => tools.some(({ name }) => name === wanted);
