// max-tool-calls: no answer and no run makes more tool calls than a limit. The first ones stay, in their order, and the model is
// told in its next step what was left out, and when none are left.
import type { ToolCall } from '@millrace/contracts';
import { defineProcessor, type ProcessOutputStepArgs, type ProcessOutputStepResult } from '@millrace/processor';
import { z } from 'zod';
import { refuse } from '../guard/report.ts';
import { responseOption } from '../guard/strategy-options.ts';

const limit = z.number().int().min(0);
const options = z.strictObject({
  perStep: limit.default(10).describe('tool calls of one answer; 0: no limit'),
  perRun: limit.default(50).describe('tool calls of all answers of a run together; 0: no limit'),
  strategy: z
    .enum(['trim', 'block'])
    .default('trim')
    .describe('trim: calls above the limit are not made, and the model is told; block: the run stops'),
  response: responseOption,
});
type Options = z.output<typeof options>;

/** Of the system message that tells the model. */
const TAG = 'max-tool-calls';
/** Names in it; the others are counted. */
const MAX_NAMED = 5;

/**
 * The first calls stay, in their order. The model is told in its next step what was left out, and when no more calls are allowed.
 *
 * @verdict continue: with the calls that are within the limits
 * @verdict abort: strategy block, above a limit
 * @verdict halt: strategy block, where `response` is set
 * @cannot Take back what was streamed: the chunks of a call that is left out have been seen, and no result follows them.
 * @cannot Limit what one call does or how long it takes: that is the tool's.
 * @cannot Limit steps: the agent's `maxSteps` does.
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
  reads: ['steps'],
  options,
  create: (chosen) => ({ id: 'max-tool-calls', processOutputStep: (args) => limitCalls(chosen, args) }),
});

function limitCalls(chosen: Options, args: ProcessOutputStepArgs): ProcessOutputStepResult {
  const { perStep, perRun, strategy, response } = chosen;
  const { toolCalls, steps, messageList, state } = args;
  if (toolCalls.length === 0) return undefined;
  const before = steps.reduce((sum, step) => sum + step.toolCalls.length, 0);
  const leftOfRun = perRun === 0 ? Infinity : Math.max(0, perRun - before);
  const most = Math.min(perStep === 0 ? Infinity : perStep, leftOfRun);
  const kept = toolCalls.slice(0, most);
  const dropped = toolCalls.slice(most);
  if (dropped.length > 0) {
    const isRun = leftOfRun <= most;
    const message = `More than ${isRun ? perRun : perStep} tool calls in ${isRun ? 'a run' : 'an answer'}.`;
    const rule = isRun ? 'too-many-tool-calls-in-run' : 'too-many-tool-calls-in-step';
    args.onViolation({ message, rule, strategy, count: dropped.length, detail: { dropped: namesOf(dropped) } });
    if (strategy === 'block') return refuse(args, response, message, { rules: [rule] });
  }
  const said = [...toldOfDropped(kept, dropped), ...toldOfEnd(leftOfRun - kept.length)];
  if (said.length > 0 || state['told'] === true) messageList.setSystem(TAG, said);
  state['told'] = said.length > 0;
  return dropped.length > 0 ? { toolCalls: kept } : undefined;
}

function toldOfDropped(kept: readonly ToolCall[], dropped: readonly ToolCall[]): string[] {
  if (dropped.length === 0) return [];
  const rest = dropped.length > MAX_NAMED ? ` and ${dropped.length - MAX_NAMED} more` : '';
  const names = `${namesOf(dropped.slice(0, MAX_NAMED)).join(', ')}${rest}`;
  return [
    `Of your last tool calls only the first ${kept.length} were made. Not made: ${names}. Ask for those again if you need them.`,
  ];
}

const toldOfEnd = (left: number): string[] =>
  left > 0 ? [] : ['You have no tool calls left. Answer with what you know now.'];

const namesOf = (calls: readonly ToolCall[]): string[] => calls.map(({ toolName }) => toolName);
