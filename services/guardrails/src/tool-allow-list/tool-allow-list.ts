// tool-allow-list: which tools a model is offered and may call, by agent, tenant, thread and resource. What it calls all the same
// is denied. The run says who it is: nothing of this is taken from a message.
import type { RunRef, ToolDefinition } from '@millrace/contracts';
import {
  defineProcessor,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
} from '@millrace/processor';
import { z } from 'zod';

const MAX_NAMES = 1_000;
const MAX_RULES = 1_000;
const names = z.array(z.string().min(1).max(200)).max(MAX_NAMES);
const allow = names.default(['*']).describe('tools by name; "web-*" for all that begin so, "*" for all');
const deny = names.default([]).describe('tools that are not allowed, whatever allows them');
const whose = z.array(z.string().min(1)).min(1).max(MAX_NAMES).optional();

const ruleSchema = z.strictObject({
  agents: whose.describe('the agents that the rule is about; absent: all'),
  tenants: whose.describe('the tenants'),
  threads: whose.describe('the threads'),
  resources: whose.describe('the resources'),
  allow,
  deny,
});
type Rule = z.output<typeof ruleSchema>;

const options = z.strictObject({
  allow,
  deny,
  rules: z
    .array(ruleSchema)
    .max(MAX_RULES)
    .default([])
    .describe(
      'other lists for some runs: the last rule that is about the run decides instead of `allow`; `deny` always counts',
    ),
});

/**
 * Decides by what the run says of itself, never by a message: agent, tenant, thread and resource. The model is offered only the tools
 * that are allowed; one that it calls all the same is denied.
 *
 * @verdict continue: with the tools that are allowed
 * @verdict deny: of a call of another tool
 * @cannot Look into arguments: whether this call of an allowed tool is right is for the tool or for a person to say.
 * @cannot Give a tool that the agent does not have.
 * @example
 * input:
 *   - use: tool-allow-list
 *     options:
 *       allow: [calculator, clock]
 *       rules: [{ tenants: [acme], allow: ['*'] }]
 *       deny: [notes]
 */
export const toolAllowList = defineProcessor({
  id: 'tool-allow-list',
  description: 'Offers a model only the tools that its agent, tenant or thread may use, and denies calls of others.',
  aliases: ['ToolAllowList'],
  stages: ['processInputStep', 'processToolCall'],
  reads: ['tools'],
  options,
  create: (chosen) => ({
    id: 'tool-allow-list',
    processInputStep: (args) => offerAllowed(chosen, args),
    processToolCall: (args) => denyOthers(chosen, args),
  }),
});
type Options = z.output<typeof options>;

function offerAllowed(chosen: Options, args: ProcessInputStepArgs): ProcessInputStepResult {
  const { tools, toolChoice, run } = args;
  const offered = Object.values(tools).filter(({ name }) => args.activeTools?.includes(name) ?? true);
  const allowed = offered.filter(({ name }) => isAllowed(chosen, run, name));
  if (allowed.length === offered.length) return undefined;
  const isForced = typeof toolChoice === 'object' ? !has(allowed, toolChoice.toolName) : allowed.length === 0;
  return { activeTools: allowed.map(({ name }) => name), ...(isForced && toolChoice && { toolChoice: 'auto' }) };
}

const has = (tools: readonly ToolDefinition[], wanted: string): boolean => tools.some(({ name }) => name === wanted);

function denyOthers(chosen: Options, args: ProcessToolCallArgs): ProcessToolCallResult {
  const { toolName } = args.toolCall;
  if (isAllowed(chosen, args.run, toolName)) return undefined;
  const rule = 'tool-not-allowed';
  args.onViolation({ message: 'A tool was called that is not allowed.', rule, strategy: 'deny', detail: { toolName } });
  return { deny: true, reason: 'This tool is not allowed here.', code: rule };
}

function isAllowed({ allow, deny, rules }: Options, run: RunRef, toolName: string): boolean {
  if (matches(deny, toolName)) return false;
  const rule = rules.findLast((one) => isAbout(one, run));
  return rule ? matches(rule.allow, toolName) && !matches(rule.deny, toolName) : matches(allow, toolName);
}

function isAbout({ agents, tenants, threads, resources }: Rule, run: RunRef): boolean {
  const isOneOf = (wanted: readonly string[] | undefined, is: string | undefined) =>
    wanted === undefined || (is !== undefined && wanted.includes(is));
  return (
    isOneOf(agents, run.agent) &&
    isOneOf(tenants, run.tenant) &&
    isOneOf(threads, run.threadId) &&
    isOneOf(resources, run.resourceId)
  );
}

const matches = (wanted: readonly string[], name: string): boolean =>
  wanted.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
