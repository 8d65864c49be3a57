// max-tool-calls: limits the tool calls of an answer and of a run. It keeps the first calls in order and informs the
// model in its next step of dropped calls and of an exhausted limit.
import type { ToolCall } from '@millrace/contracts';
import { defineProcessor, type ProcessOutputStepArgs, type ProcessOutputStepResult } from '@millrace/processor';
import { z } from 'zod';
import { refuse } from '../../guard/report.ts';
import { responseOption } from '../../guard/strategy-options.ts';

const limit = z.number().int().min(0);
const options = z.strictObject({
  perStep: limit.default(10).describe('Maximum number of tool calls per answer. 0 disables the limit.'),
  perRun: limit
    .default(50)
    .describe('Maximum number of tool calls per run, over all its answers. 0 disables the limit.'),
  strategy: z
    .enum(['trim', 'block'])
    .default('trim')
    .describe('trim: drop calls above the limit and inform the model. block: stop the run.'),
  response: responseOption,
});
type MaxToolCallsOptions = z.output<typeof options>;

/** Tag of the system message that informs the model. */
const TAG = 'max-tool-calls';
/** Maximum number of tool names in the message; further calls are only counted. */
const MAX_NAMED = 5;

/**
 * Keeps the first calls, in their order, and drops the others. In the next step a system message informs the model of
 * the dropped calls, and of an exhausted run limit.
 *
 * @verdict continue: with the calls that are within the limits
 * @verdict abort: strategy block, above a limit
 * @verdict halt: strategy block, if `response` is set
 * @cannot Retract streamed chunks: clients have received the chunks of a dropped call, and no result follows them.
 * @cannot Limit the duration or the effects of one call: that is the tool's responsibility.
 * @cannot Limit steps: use the agent's `maxSteps`.
 * @example
 * output:
 *   - use: max-tool-calls
 *     options: { perStep: 3, perRun: 20 }
 */
export const maxToolCalls = defineProcessor({
  id: 'max-tool-calls',
  description: 'Limits the tool calls of an answer and of a run.',
  aliases: ['MaxToolCallsGuard'],
  stages: ['processOutputStep'],
  positions: { output: 100 },
  reads: ['steps'],
  options,
  create: (chosen) => ({ id: 'max-tool-calls', processOutputStep: (args) => limitCalls(chosen, args) }),
});

function limitCalls(chosen: MaxToolCallsOptions, args: ProcessOutputStepArgs): ProcessOutputStepResult {
  const { perStep, perRun, strategy, response } = chosen;
  const { toolCalls, steps, stepNumber, messageList, state } = args;
  if (toolCalls.length === 0) return undefined;
  // The steps include the current one.
  const earlier = steps.filter((step) => step.stepNumber < stepNumber);
  const before = earlier.reduce((sum, step) => sum + step.toolCalls.length, 0);
  const leftOfRun = perRun === 0 ? Infinity : Math.max(0, perRun - before);
  const most = Math.min(perStep === 0 ? Infinity : perStep, leftOfRun);
  const kept = toolCalls.slice(0, most);
  const dropped = toolCalls.slice(most);
  if (dropped.length > 0) {
    const isRun = leftOfRun <= most;
    const message = `More than ${isRun ? perRun : perStep} tool calls in ${isRun ? 'a run' : 'an answer'}.`;
    const rule = isRun ? 'too-many-tool-calls-in-run' : 'too-many-tool-calls-in-step';
    args.onViolation({ message, rule, strategy, count: dropped.length, detail: { dropped: listNames(dropped) } });
    if (strategy === 'block') return refuse(args, response, message, { rules: [rule] });
  }
  const notes = [...describeDropped(kept, dropped), ...describeEnd(leftOfRun - kept.length)];
  if (notes.length > 0 || state['told'] === true) messageList.setSystem(TAG, notes);
  state['told'] = notes.length > 0;
  return dropped.length > 0 ? { toolCalls: kept } : undefined;
}

function describeDropped(kept: readonly ToolCall[], dropped: readonly ToolCall[]): string[] {
  if (dropped.length === 0) return [];
  const rest = dropped.length > MAX_NAMED ? ` and ${dropped.length - MAX_NAMED} more` : '';
  const names = `${listNames(dropped.slice(0, MAX_NAMED)).join(', ')}${rest}`;
  return [
    `Only the first ${kept.length} of your last tool calls were made. Not made: ${names}. Repeat those calls if you need them.`,
  ];
}

const describeEnd = (left: number): string[] =>
  left > 0 ? [] : ['You have no tool calls left. Answer with the information that you have.'];

const listNames = (calls: readonly ToolCall[]): string[] => calls.map(({ toolName }) => toolName);
