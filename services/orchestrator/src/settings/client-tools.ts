// Adds the tools that a caller submits to the plan of one run, within the limits of the agent. Pure.
import {
  describeClientTool,
  readAgentTool,
  type Agent,
  type Issue,
  type Plan,
  type RunRequest,
  type ToolRule,
} from '@millrace/contracts';

/** The caller decides on its own calls, and all that it returns is from outside. */
const CLIENT_RULE: ToolRule = { whenUntrusted: 'allow', resultTrust: 'untrusted' };

/** Returns whether the caller executes the tool. The request decides: no processor can change it. */
export const isClientTool = ({ clientTools = [] }: Pick<RunRequest, 'clientTools'>, tool: string): boolean =>
  clientTools.some(({ name }) => name === tool);

/** Returns the plan with the tools of the request, or all issues if the agent does not allow them. */
export function addClientTools(agent: Agent, plan: Plan, request: RunRequest): { plan: Plan } | { issues: Issue[] } {
  const { clientTools = [], parallelToolCalls } = request;
  const issues = clientTools.flatMap(({ name }, at) => findIssue(agent, plan, name, `clientTools[${at}].name`));
  if (parallelToolCalls !== undefined && clientTools.length === 0)
    issues.push(issue('parallelToolCalls', 'The request has no clientTools.', 'Remove parallelToolCalls.'));
  if (issues.length > 0) return { issues };
  if (clientTools.length === 0) return { plan };
  const rules = Object.fromEntries(clientTools.map(({ name }) => [name, CLIENT_RULE]));
  return {
    plan: {
      ...plan,
      tools: [...plan.tools, ...clientTools.map(describeClientTool)],
      // A plan without rules allows each call, and results are untrusted.
      ...(plan.toolRules && { toolRules: { ...plan.toolRules, ...rules } }),
    },
  };
}

function findIssue({ tools, clientTools }: Agent, plan: Plan, name: string, path: string): Issue[] {
  if (clientTools === undefined)
    return [issue(path, 'This agent takes no tools from callers.', 'Remove clientTools, or set it in the agent.')];
  const own = [...tools.map((tool) => readAgentTool(tool).use), ...plan.tools.map((tool) => tool.name)];
  if (own.includes(name))
    return [issue(path, `"${name}" is a tool of the agent.`, 'Give the tool of the caller another name.')];
  if (clientTools === true || clientTools.includes(name)) return [];
  return [issue(path, `This agent takes no tool "${name}".`, `It takes: ${clientTools.join(', ') || 'none'}.`)];
}

const issue = (path: string, message: string, remedy: string): Issue => ({
  code: 'run-refused',
  path,
  message,
  remedy,
});
