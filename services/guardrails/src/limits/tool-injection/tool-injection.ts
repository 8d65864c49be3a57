// tool-injection: offers tools of the agent only in runs that need them, by the user's message and the caller's context.
import { matchesToolName } from '@millrace/contracts';
import { defineProcessor, type ProcessInputStepArgs, type ProcessInputStepResult } from '@millrace/processor';
import { z } from 'zod';
import { refuseUnjudged } from '../../guard/report.ts';
import { toolNamesSchema } from '../../guard/tool-names.ts';
import { boundPatterns, compilePattern, patternSchema, weighPatterns } from '../../text/linear-pattern.ts';
import { createTask, getInlineCost, type Task } from '../../work/task.ts';
import { offerTools } from '../offer-tools.ts';
import { matchTask } from './match-texts.ts';

const MAX_RULES = 100;
const MAX_KEY_LENGTH = 200;

const ruleSchema = z
  .strictObject({
    tools: toolNamesSchema.min(1).describe('Tools that are offered only if a rule that names them applies.'),
    pattern: patternSchema
      .optional()
      .describe('Regular expression (RE2, case-insensitive) that must match the last message of the user.'),
    context: z
      .strictObject({
        key: z.string().min(1).max(MAX_KEY_LENGTH),
        equals: z.union([z.string(), z.number(), z.boolean(), z.null()]),
      })
      .optional()
      .describe('Value that requestContext must have under the key.'),
  })
  .refine(({ pattern, context }) => pattern !== undefined || context !== undefined, 'set pattern or context')
  .meta({ anyOf: [{ required: ['pattern'] }, { required: ['context'] }] });

const options = z
  .strictObject({
    rules: z
      .array(ruleSchema)
      .min(1)
      .max(MAX_RULES)
      .describe('A rule applies if all of its conditions hold. Tools without a rule are always offered.'),
  })
  .superRefine(boundPatterns('rules', ({ rules }) => rules.flatMap(({ pattern }) => pattern ?? [])));
type ToolInjectionOptions = z.output<typeof options>;
type ToolInjection = ToolInjectionOptions & { task: Task<string[]> };

/**
 * Decides in each step which tools of the agent the model is offered: a tool with rules only if one of them applies, other tools always.
 * The orchestrator denies a call of a tool that the step did not offer. A tool that an earlier entry removed stays removed.
 *
 * @verdict continue: with the tools that are offered
 * @verdict abort: the message is too long to be read
 * @cannot Protect a tool: the caller controls message and context. Use tool-allow-list and `whenUntrusted`.
 * @cannot Add a tool that the agent does not have.
 * @example
 * tools: [calculator, clock]
 * input:
 *   - use: tool-injection
 *     options: { rules: [{ tools: [calculator], pattern: '\d|sum|how many' }] }
 */
export const toolInjection = defineProcessor({
  id: 'tool-injection',
  description: 'Offers tools of the agent only if the user’s message or the request context needs them.',
  aliases: ['ToolInjectionModifier'],
  stages: ['processInputStep'],
  positions: { input: 165 },
  reads: ['input', 'tools'],
  options,
  create: (chosen) => {
    const sources = [...new Set(chosen.rules.flatMap(({ pattern }) => pattern ?? []))];
    const weight = weighPatterns(sources.map((source) => compilePattern(source)));
    const injection = { ...chosen, task: createTask(matchTask, sources, getInlineCost(weight)) };
    return { id: 'tool-injection', processInputStep: (args) => chooseTools(injection, args) };
  },
});

async function chooseTools(
  { rules, task }: ToolInjection,
  args: ProcessInputStepArgs,
): Promise<ProcessInputStepResult> {
  const outcome = await task.run([args.messageList.getLatestUserContent()], args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, undefined, outcome.exceeded);
  const matched = new Set(outcome.found[0]);
  const applied = rules.filter(
    ({ pattern, context }) =>
      (pattern === undefined || matched.has(pattern)) &&
      (context === undefined || args.requestContext.get(context.key) === context.equals),
  );
  return offerTools(args, (name) => {
    const matchesName = (rule: (typeof rules)[number]) => matchesToolName(rule.tools, name);
    return !rules.some(matchesName) || applied.some(matchesName);
  });
}
