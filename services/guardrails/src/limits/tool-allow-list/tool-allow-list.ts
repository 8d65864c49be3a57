// tool-allow-list: restricts the tools that a model is offered and may call, by agent, tenant, thread and resource. It
// denies calls of other tools. The identity is the run's own, never taken from a message.
import { matchesToolName, type RunRef } from '@millrace/contracts';
import { defineProcessor, type ProcessToolCallArgs, type ProcessToolCallResult } from '@millrace/processor';
import { z } from 'zod';
import { toolNamesSchema } from '../../guard/tool-names.ts';
import { offerTools } from '../offer-tools.ts';

const MAX_NAMES = 1_000;
const MAX_RULES = 1_000;
const allow = toolNamesSchema
  .default(['*'])
  .describe('Names of allowed tools. "web-*" matches a prefix, "*" matches every tool.');
const deny = toolNamesSchema.default([]).describe('Names of tools that no rule can allow.');
const idsOption = z.array(z.string().min(1)).min(1).max(MAX_NAMES).optional();

const ruleSchema = z.strictObject({
  agents: idsOption.describe('Agents to which the rule applies. Default: all.'),
  tenants: idsOption.describe('Tenants to which the rule applies. Default: all.'),
  threads: idsOption.describe('Threads to which the rule applies. Default: all.'),
  resources: idsOption.describe('Resources to which the rule applies. Default: all.'),
  allow,
  deny,
});
type AllowListRule = z.output<typeof ruleSchema>;

const options = z.strictObject({
  allow,
  deny,
  rules: z
    .array(ruleSchema)
    .max(MAX_RULES)
    .default([])
    .describe('Lists for some runs. The last rule that matches the run replaces `allow`; `deny` always applies.'),
});

/**
 * Decides by the run's identity (agent, tenant, thread and resource), never by a message. It offers the model only the
 * allowed tools and denies a call of any other tool.
 *
 * @verdict continue: with the tools that are allowed
 * @verdict deny: a call of another tool
 * @cannot Check arguments: the tool or an approval decides on a single call of an allowed tool.
 * @cannot Add a tool that the agent does not have.
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
  positions: { input: 170 },
  reads: ['tools'],
  options,
  create: (chosen) => ({
    id: 'tool-allow-list',
    processInputStep: (args) => offerTools(args, (name) => isAllowed(chosen, args.run, name)),
    processToolCall: (args) => denyOthers(chosen, args),
  }),
});
type ToolAllowListOptions = z.output<typeof options>;

function denyOthers(chosen: ToolAllowListOptions, args: ProcessToolCallArgs): ProcessToolCallResult {
  const { toolName } = args.toolCall;
  if (isAllowed(chosen, args.run, toolName)) return undefined;
  const rule = 'tool-not-allowed';
  args.onViolation({
    message: 'The model called a tool that is not allowed.',
    rule,
    strategy: 'deny',
    detail: { toolName },
  });
  return { deny: true, reason: 'This tool is not allowed here.', code: rule };
}

function isAllowed({ allow, deny, rules }: ToolAllowListOptions, run: RunRef, toolName: string): boolean {
  if (matchesToolName(deny, toolName)) return false;
  const rule = rules.findLast((one) => isAbout(one, run));
  return rule
    ? matchesToolName(rule.allow, toolName) && !matchesToolName(rule.deny, toolName)
    : matchesToolName(allow, toolName);
}

function isAbout({ agents, tenants, threads, resources }: AllowListRule, run: RunRef): boolean {
  const matchesAny = (wanted: readonly string[] | undefined, is: string | undefined) =>
    wanted === undefined || (is !== undefined && wanted.includes(is));
  return (
    matchesAny(agents, run.agent) &&
    matchesAny(tenants, run.tenant) &&
    matchesAny(threads, run.threadId) &&
    matchesAny(resources, run.resourceId)
  );
}
