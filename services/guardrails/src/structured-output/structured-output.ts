// structured-output: the last answer of a run is the JSON of a schema. What a model writes around it is taken away; what does not fit is
// asked for again, told of, or replaced.
import { jsonSchemaSchema, jsonValueSchema } from '@millrace/contracts';
import { defineProcessor, type ProcessOutputStepArgs, type ProcessOutputStepResult } from '@millrace/processor';
import { z } from 'zod';
import { refuse, refuseUnjudged } from '../guard/report.ts';
import { responseOption } from '../guard/strategy-options.ts';
import { createTask, type Task } from '../work/task.ts';
import { prepareRepair, type Repaired } from './repair-answer.ts';

const options = z.strictObject({
  schema: jsonSchemaSchema.describe(
    'JSON Schema that the answer must fit: in most cases that of the agent’s `structuredOutput`',
  ),
  strategy: z
    .enum(['strict', 'warn', 'fallback'])
    .default('strict')
    .describe(
      'of an answer that does not fit when nobody is asked again: strict: the run stops; warn: it passes; fallback: `fallback` instead',
    ),
  fallback: jsonValueSchema
    .default(null)
    .describe('the value that is the answer with strategy fallback; nobody checks it'),
  maxRetries: z
    .int()
    .min(0)
    .max(10)
    .default(2)
    .describe('how often the model is asked again, told what was wrong; the agent’s maxProcessorRetries limits it too'),
  response: responseOption,
});
type Options = z.output<typeof options>;
type Validator = Options & { task: Task<Repaired> };

/**
 * An answer that is the JSON of the schema passes as it is. JSON in a fence or between words is taken out of them. What does not fit is
 * asked for again, `maxRetries` times at most, within the agent's `maxProcessorRetries`; then the strategy decides. An answer with tool
 * calls is not the last one, and is not judged. The object of the run, and the partial ones in its stream, are the orchestrator's to make.
 *
 * @verdict continue: it fits, or was taken out of its words; or strategy warn or fallback, and no retries left
 * @verdict abort: with `retry` while it may be asked again; then with strategy strict
 * @verdict halt: strategy strict with no retries left, where `response` is set
 * @cannot Take back what a client has seen: words around the JSON have streamed by then, unless the agent says `release: step`.
 * @cannot Mend a value: what does not fit is the model's to say again. No other model is asked.
 * @cannot Know the agent's own schema: it is an option.
 * @example
 * structuredOutput: { schema: { type: object, required: [city], properties: { city: { type: string } } } }
 * maxProcessorRetries: 2
 * output:
 *   - use: structured-output
 *     options: { schema: { type: object, required: [city], properties: { city: { type: string } } } }
 */
export const structuredOutput = defineProcessor({
  id: 'structured-output',
  description: 'Holds the last answer of a run to a JSON Schema, and takes away what stands around the JSON.',
  aliases: ['StructuredOutputProcessor'],
  stages: ['processOutputStep'],
  reads: [],
  options,
  create: (chosen) => {
    // A schema may hold patterns of any kind: these never run here.
    const task = createTask('structured-output', prepareRepair, { schema: chosen.schema }, 0);
    return { id: 'structured-output', processOutputStep: (args) => validate({ ...chosen, task }, args) };
  },
});

async function validate(validator: Validator, args: ProcessOutputStepArgs): Promise<ProcessOutputStepResult> {
  if (args.toolCalls.length > 0) return undefined;
  const outcome = await validator.task.run([args.text], args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, validator.response, outcome.exceeded);
  const [found] = outcome.found;
  if (!found || 'misfit' in found) return reject(validator, args, found?.misfit ?? 'it was not judged');
  return found.isRepaired ? { text: found.text } : undefined;
}

const RULE = 'structured-output';

function reject(validator: Validator, args: ProcessOutputStepArgs, misfit: string): ProcessOutputStepResult {
  const { strategy, fallback, maxRetries, response } = validator;
  args.onViolation({ message: 'The answer does not fit its schema.', rule: RULE, strategy, detail: { misfit } });
  const reason = `The answer was not accepted: it must be JSON that fits the schema: ${misfit}.`;
  const metadata = { rules: [RULE] };
  if (args.retryCount < maxRetries) return args.abort(reason, { retry: true, metadata });
  if (strategy === 'strict') return refuse(args, response, reason, metadata);
  return strategy === 'fallback' ? { text: JSON.stringify(fallback) } : undefined;
}
