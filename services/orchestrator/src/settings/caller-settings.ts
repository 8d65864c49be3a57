// Applies the settings that a caller provides for one run: the form of the answer, settings of the model, the choice of
// a tool, and a later release. Each is within the limits of the agent. Pure.
import {
  RELEASES,
  type Agent,
  type Issue,
  type ModelSettings,
  type Plan,
  type RunRequest,
  type ToolChoice,
} from '@millrace/contracts';

/** Returns the agent with the settings of the request, or all issues if the agent does not allow them. */
export function applyCallerSettings(
  agent: Agent,
  plan: Plan,
  request: RunRequest,
): { agent: Agent } | { issues: Issue[] } {
  const { structuredOutput, modelSettings, release } = request;
  const issues = [
    ...findOutputIssues(agent, request),
    ...findSettingIssues(agent, request),
    ...findToolChoiceIssues(plan, request),
    ...findReleaseIssues(agent, request),
  ];
  if (issues.length > 0) return { issues };
  if (!structuredOutput && !modelSettings && !release) return { agent };
  return {
    agent: {
      ...agent,
      ...(structuredOutput && { structuredOutput }),
      ...(modelSettings && { modelSettings: mergeSettings(agent.modelSettings, modelSettings) }),
      ...(release && { release }),
    },
  };
}

/** Returns the caller's tool choice for a step. A required call in each step would never end the run. */
export function chooseTool({ toolChoice }: RunRequest, stepNumber: number): ToolChoice | undefined {
  return toolChoice === 'none' || stepNumber === 0 ? toolChoice : undefined;
}

/** Returns the options of the provider with the caller's choice of one call or several in an answer. */
export function chooseProviderOptions(
  { parallelToolCalls }: RunRequest,
  options: Agent['providerOptions'] = {},
): NonNullable<Agent['providerOptions']> {
  return parallelToolCalls === undefined
    ? options
    : { ...options, openai: { ...options['openai'], parallelToolCalls } };
}

function mergeSettings(own: ModelSettings = {}, given: ModelSettings): ModelSettings {
  const limits = [own.maxOutputTokens, given.maxOutputTokens].filter((limit) => limit !== undefined);
  return { ...own, ...given, ...(limits.length > 0 && { maxOutputTokens: Math.min(...limits) }) };
}

function findOutputIssues(agent: Agent, { structuredOutput }: RunRequest): Issue[] {
  if (!structuredOutput || !agent.structuredOutput) return [];
  return [issue('structuredOutput', 'This agent defines the form of its answers itself.', 'Remove structuredOutput.')];
}

function findSettingIssues({ callerSettings = [] }: Agent, request: RunRequest): Issue[] {
  const { modelSettings = {} } = request;
  const names = Object.keys(modelSettings).map((name) => ({ name, path: `modelSettings.${name}` }));
  const given = [...names, ...(needsPermission(request) ? [{ name: 'toolChoice', path: 'toolChoice' }] : [])];
  const allowed: readonly string[] = callerSettings;
  return given
    .filter(({ name }) => !allowed.includes(name))
    .map(({ name, path }) =>
      issue(
        path,
        `Callers of this agent may not set ${name}.`,
        `They may set: ${allowed.join(', ') || 'none'}. Remove it, or list it under the agent's callerSettings.`,
      ),
    );
}

/** A caller with tools of its own chooses among them, and whether any tool is called. */
function needsPermission({ toolChoice, clientTools = [] }: RunRequest): boolean {
  if (toolChoice === undefined) return false;
  if (typeof toolChoice === 'string') return clientTools.length === 0;
  return clientTools.every(({ name }) => name !== toolChoice.toolName);
}

function findToolChoiceIssues({ tools }: Plan, { toolChoice }: RunRequest): Issue[] {
  if (toolChoice === undefined || toolChoice === 'none' || toolChoice === 'auto') return [];
  const names = tools.map(({ name }) => name);
  if (toolChoice === 'required' ? names.length > 0 : names.includes(toolChoice.toolName)) return [];
  const message =
    toolChoice === 'required' ? 'This agent has no tool.' : `This agent has no tool "${toolChoice.toolName}".`;
  return [issue('toolChoice', message, `Its tools are: ${names.join(', ') || 'none'}.`)];
}

function findReleaseIssues({ release: own = 'chunk' }: Agent, { release }: RunRequest): Issue[] {
  if (release === undefined || RELEASES.indexOf(release) >= RELEASES.indexOf(own)) return [];
  return [
    issue(
      'release',
      `This agent releases its output with ${own}, and ${release} is earlier.`,
      `Choose one of ${RELEASES.slice(RELEASES.indexOf(own)).join(', ')}, or remove it.`,
    ),
  ];
}

const issue = (path: string, message: string, remedy: string): Issue => ({
  code: 'run-refused',
  path,
  message,
  remedy,
});
