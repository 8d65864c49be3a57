// structured-output: requires the last answer of a run to be JSON of a schema. It removes text around the JSON; an
// answer that does not fit is retried, reported or replaced.
import { jsonSchemaSchema, jsonValueSchema } from '@millrace/contracts';
import { defineProcessor, type ProcessOutputStepArgs, type ProcessOutputStepResult } from '@millrace/processor';
import { z } from 'zod';
import { refuse, refuseUnjudged } from '../../guard/report.ts';
import { retryAnswer } from '../../guard/retry-answer.ts';
import { responseOption, retriesOption } from '../../guard/strategy-options.ts';
import { createTask, type Task } from '../../work/task.ts';
import { repairTask, type RepairResult } from './repair-answer.ts';

const options = z.strictObject({
  schema: jsonSchemaSchema.describe('JSON Schema of the answer. Usually the schema of the agent’s `structuredOutput`.'),
  strategy: z
    .enum(['strict', 'warn', 'fallback'])
    .default('strict')
    .describe(
      'Action when an answer does not fit and no retries are left. strict: stop the run. warn: pass the answer. fallback: answer with `fallback`.',
    ),
  fallback: jsonValueSchema
    .default(null)
    .describe('Answer for the strategy fallback. It is not checked against the schema.'),
  maxRetries: retriesOption,
  response: responseOption,
});
type StructuredOutputOptions = z.output<typeof options>;
type StructuredOutputValidator = StructuredOutputOptions & { task: Task<RepairResult> };

/**
 * Passes an answer that is the JSON of the schema unchanged, and extracts JSON from a code fence or from surrounding
 * words. If the answer does not fit, the model is called again, at most `maxRetries` times and within the agent's
 * `maxProcessorRetries`; then the strategy decides. An answer with tool calls is not the last one and is not judged.
 * The orchestrator, not this processor, creates the run's object and the partial objects of its stream.
 *
 * @verdict continue: the answer fits or was extracted; or strategy warn or fallback without retries left
 * @verdict abort: with `retry` while retries are left; then with strategy strict
 * @verdict halt: strategy strict without retries left, if `response` is set
 * @cannot Retract streamed text: clients have received the words around the JSON, unless the agent has `release: step`.
 * @cannot Repair a value that does not fit: only the model can answer again. No other model is called.
 * @cannot Read the agent's own schema: pass it as the option.
 * @example
 * structuredOutput: { schema: { type: object, required: [city], properties: { city: { type: string } } } }
 * maxProcessorRetries: 2
 * output:
 *   - use: structured-output
 *     options: { schema: { type: object, required: [city], properties: { city: { type: string } } } }
 */
export const structuredOutput = defineProcessor({
  id: 'structured-output',
  description: 'Checks the last answer of a run against a JSON Schema and removes text around the JSON.',
  aliases: ['StructuredOutputProcessor'],
  stages: ['processOutputStep'],
  reads: [],
  options,
  create: (chosen) => {
    // The bound 0 runs every judgment in a worker, because a schema may contain slow patterns.
    const task = createTask(repairTask, { schema: chosen.schema }, 0);
    return { id: 'structured-output', processOutputStep: (args) => validate({ ...chosen, task }, args) };
  },
});

async function validate(
  validator: StructuredOutputValidator,
  args: ProcessOutputStepArgs,
): Promise<ProcessOutputStepResult> {
  if (args.toolCalls.length > 0) return undefined;
  const outcome = await validator.task.run([args.text], args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, validator.response, outcome.exceeded);
  const [found] = outcome.found;
  if (!found || 'misfit' in found) return reject(validator, args, found?.misfit ?? 'it was not judged');
  return found.isRepaired ? { text: found.text } : undefined;
}

const RULE = 'structured-output';

function reject(
  validator: StructuredOutputValidator,
  args: ProcessOutputStepArgs,
  misfit: string,
): ProcessOutputStepResult {
  const { strategy, fallback, maxRetries, response } = validator;
  args.onViolation({ message: 'The answer does not fit its schema.', rule: RULE, strategy, detail: { misfit } });
  const reason = `The answer was not accepted: it must be JSON that fits the schema: ${misfit}.`;
  const metadata = { rules: [RULE] };
  retryAnswer(args, maxRetries, reason, metadata);
  if (strategy === 'strict') return refuse(args, response, reason, metadata);
  return strategy === 'fallback' ? { text: JSON.stringify(fallback) } : undefined;
}
