// Resolves the treatment of each tool while untrusted content is in a run, and warns about agents of earlier versions,
// which call every tool. Pure.
import {
  readAgentTool,
  type AdvertisedTool,
  type Agent,
  type Issue,
  type Plan,
  type ToolDefinition,
  type ToolRule,
} from '@millrace/contracts';

/** @param found the tools as their services advertise them */
export function makeToolRules({ tools }: Agent, found: readonly AdvertisedTool[]): NonNullable<Plan['toolRules']> {
  const given = new Map(tools.map((tool) => [readAgentTool(tool).use, readAgentTool(tool)]));
  const rules = found.map(({ tool: { name, effect }, service }): [string, ToolRule] => {
    const {
      use: _,
      timeoutMs: __,
      whenUntrusted = effect === 'read' ? 'allow' : 'approve',
      resultTrust = 'untrusted',
      ...limits
    } = given.get(name) ?? { use: name };
    return [name, { whenUntrusted, resultTrust, service, ...limits }];
  });
  return Object.fromEntries(rules);
}

/** Returns the definitions of the agent's tools, with its own time limits. */
export function listPlannedTools({ tools }: Agent, found: readonly AdvertisedTool[]): ToolDefinition[] {
  const limits = new Map(tools.map((tool) => [readAgentTool(tool).use, readAgentTool(tool).timeoutMs]));
  return found.map(({ tool }) => ({ ...tool, timeoutMs: limits.get(tool.name) ?? tool.timeoutMs }));
}

/** Refuses attempts for tools with calls that must not be repeated. */
export function findAttemptIssues({ tools }: Agent, plan: Plan): Issue[] {
  const idempotent = new Set(plan.tools.flatMap((tool) => (tool.idempotent ? tool.name : [])));
  return tools.flatMap((tool, at): Issue[] => {
    const { use, attempts = 1 } = readAgentTool(tool);
    if (attempts === 1 || idempotent.has(use)) return [];
    const message = `A call of "${use}" must not be repeated: the tool is not idempotent.`;
    return [{ code: 'agent-invalid', message, path: `tools[${at}].attempts`, remedy: 'Remove `attempts`.' }];
  });
}

/** Warns about a stored agent without rules. */
export function warnWithoutRules({ toolRules, tools }: Plan): Issue[] {
  const names = tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
  if (toolRules || names.length === 0) return [];
  const message = `This agent was applied by an earlier version: it calls ${names.join(', ')} without approval while untrusted content is in the run.`;
  return [{ code: 'tools-without-rules', message, remedy: 'Apply the agent again.' }];
}

/** Warns that a definition which is applied again stops calls that its stored version allows. */
export function warnOfNewRules(stored: Plan, plan: Plan): Issue[] {
  if (stored.toolRules) return [];
  const before = new Set(stored.tools.map(({ name }) => name));
  const stopped = Object.entries(plan.toolRules ?? {}).filter(
    ([name, { whenUntrusted }]) => before.has(name) && whenUntrusted !== 'allow',
  );
  if (stopped.length === 0) return [];
  const names = stopped.map(([name, { whenUntrusted }]) => `${name} (${whenUntrusted})`).join(', ');
  const message = `The stored agent calls these tools while untrusted content is in the run; this one stops them: ${names}.`;
  const remedy = 'To keep a tool as it was, list it as {use: NAME, whenUntrusted: allow}.';
  return [{ code: 'tools-stopped', message, remedy }];
}
