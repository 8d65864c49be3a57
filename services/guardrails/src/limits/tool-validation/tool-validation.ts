// tool-validation: denies tool calls with arguments that break a rule of the agent.
import { jsonSchemaSchema, matchesToolName, replaceInexact } from '@millrace/contracts';
import { defineProcessor, type ProcessToolCallArgs, type ProcessToolCallResult } from '@millrace/processor';
import { z } from 'zod';
import { toolNamesSchema } from '../../guard/tool-names.ts';
import { listValueTexts } from '../../guard/value-texts.ts';
import { boundPatterns, compilePattern, patternSchema, weighPatterns } from '../../text/linear-pattern.ts';
import { BOUND_RULES, BoundExceeded } from '../../work/bounds.ts';
import { createTask, getInlineCost, type Task } from '../../work/task.ts';
import { misfitTask } from './find-misfits.ts';

const MAX_RULES = 100;
const MAX_PATTERNS = 50;
const MAX_REASON_LENGTH = 500;

const ruleSchema = z
  .strictObject({
    tools: toolNamesSchema.min(1).describe('Tools to which the rule applies.'),
    schema: jsonSchemaSchema
      .optional()
      .describe('JSON Schema that the arguments must fit, in addition to that of the tool.'),
    mustNotMatch: z
      .array(patternSchema)
      .max(MAX_PATTERNS)
      .default([])
      .describe(
        'Regular expressions (RE2, case-insensitive) that may match no string, name or number of the arguments.',
      ),
    reason: z
      .string()
      .min(1)
      .max(MAX_REASON_LENGTH)
      .optional()
      .describe('Reason for the model. Default: the place in the schema, or the number of the pattern.'),
  })
  .refine(({ schema, mustNotMatch }) => schema !== undefined || mustNotMatch.length > 0, 'set schema or mustNotMatch');

const options = z
  .strictObject({
    rules: z.array(ruleSchema).min(1).max(MAX_RULES).describe('Rules; a call must follow all that name its tool.'),
  })
  .superRefine(boundPatterns('rules', ({ rules }) => rules.flatMap(({ mustNotMatch }) => mustNotMatch)));
type CheckedRule = z.output<typeof ruleSchema> & { task: Task<string | undefined> };

/**
 * Checks the arguments of a call against the rules of its tool, and denies the call if they break one. The model receives the reason
 * as the result and can call the tool again. Place it after entries that change arguments.
 *
 * @verdict continue: the arguments follow the rules
 * @verdict deny: the arguments break a rule, or are too long to be checked
 * @cannot Change arguments: use tool-parameters.
 * @cannot Check a number that a double does not hold against a schema by its digits: the schema sees the rounded number. Patterns see the
 * digits.
 * @cannot Check whether a value exists: the tool decides.
 * @example
 * input:
 *   - use: tool-validation
 *     options:
 *       rules:
 *         - tools: [calculator]
 *           schema: { type: object, properties: { expression: { type: string, maxLength: 100 } } }
 *           mustNotMatch: ['\.\./']
 */
export const toolValidation = defineProcessor({
  id: 'tool-validation',
  description: 'Denies tool calls with arguments that break a schema or a pattern of the agent.',
  aliases: ['ToolValidationModifier'],
  stages: ['processToolCall'],
  positions: { input: 174 },
  reads: [],
  options,
  create: ({ rules }) => {
    const checked = rules.map((rule): CheckedRule => {
      const { schema, mustNotMatch } = rule;
      const weight = weighPatterns(mustNotMatch.map((source) => compilePattern(source)));
      // The bound 0 runs every check in a worker, because a schema may contain slow patterns.
      return { ...rule, task: createTask(misfitTask, { schema, mustNotMatch }, schema ? 0 : getInlineCost(weight)) };
    });
    return { id: 'tool-validation', processToolCall: (args) => validate(checked, args) };
  },
});

async function validate(rules: readonly CheckedRule[], args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
  for (const [at, rule] of rules.entries()) {
    if (!matchesToolName(rule.tools, args.toolCall.toolName)) continue;
    const misfit = await findMisfit(rule, args);
    if (!misfit) continue;
    const detail = { toolName: args.toolCall.toolName, rule: at, misfit: misfit.text };
    const message = 'The arguments of a tool call break a rule.';
    args.onViolation({ message, rule: misfit.code, strategy: 'deny', detail });
    return { deny: true, reason: rule.reason ?? `The arguments are not accepted: ${misfit.text}.`, code: misfit.code };
  }
  return undefined;
}

async function findMisfit(
  { task }: CheckedRule,
  { toolCall, abortSignal }: ProcessToolCallArgs,
): Promise<{ text: string; code: string } | undefined> {
  try {
    const { args, argsText } = toolCall;
    const texts = listValueTexts(
      replaceInexact(args, argsText, (number) => number),
      (bound) => {
        throw new BoundExceeded(bound);
      },
    );
    const outcome = await task.run([JSON.stringify(args), ...texts], abortSignal);
    if ('exceeded' in outcome) throw new BoundExceeded(outcome.exceeded);
    const text = outcome.found.find((one) => one !== undefined);
    return text === undefined ? undefined : { text, code: 'arguments-not-accepted' };
  } catch (error) {
    if (error instanceof BoundExceeded)
      return { text: 'they are too long to be checked', code: BOUND_RULES[error.bound] };
    throw error;
  }
}
