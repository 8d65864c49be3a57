// loop-detection: finds calls, texts and cycles of steps that a model repeats without a new result. It first gives the model a hint,
// then ends the run.
import { defineProcessor, type ProcessOutputStepArgs } from '@millrace/processor';
import { z } from 'zod';
import { refuse } from '../../guard/report.ts';
import { responseOption } from '../../guard/strategy-options.ts';
import { findLoops, type FoundLoop } from './find-loop.ts';

const MAX_COUNT = 20;
const count = z.number().int().max(MAX_COUNT);

const options = z.strictObject({
  hintAfter: count.min(1).default(2).describe('Repetitions in a row after which the model gets a hint.'),
  endAfter: count
    .min(0)
    .default(2)
    .describe('Further repetitions after which the run ends. 0: the processor only gives hints.'),
  maxPeriod: z
    .number()
    .int()
    .min(1)
    .max(10)
    .default(4)
    .describe('Longest cycle of steps that the processor finds: 2 finds A-B-A-B. A cycle has to repeat as a whole.'),
  ignoreResults: z
    .boolean()
    .default(false)
    .describe('Whether a repeated call counts although its result has changed, as it does in polling.'),
  minTextLength: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(40)
    .describe(
      'Minimum length, in UTF-16 code units, of a text that counts as repeated if the calls of its steps differ.',
    ),
  response: responseOption,
});
type LoopDetectionOptions = z.output<typeof options>;

/** Tag of the hint. */
const TAG = 'loop-detection';
/** Maximum number of tool names in the hint, and of characters of each: a model may call any name. */
const MAX_NAMED = 5;
const MAX_NAME_LENGTH = 64;

/**
 * Compares the last steps of a run. A step repeats an earlier one if it makes the same calls with the same arguments (the order of
 * members is ignored) and the earlier results are the same, or if it has the same text. A call repeats an earlier one also if other
 * calls of the answer differ. A result that has changed ends the repetition, because the call is polling. After `hintAfter` repetitions
 * a system message names the repeated calls until the model stops repeating; after `endAfter` more the run ends.
 *
 * @verdict continue: with a hint while the model repeats itself
 * @verdict abort: after `hintAfter` + `endAfter` repetitions
 * @verdict halt: instead of abort, if `response` is set
 * @cannot Find repetitions with other words or other arguments.
 * @cannot Count equal calls of one answer: use max-tool-calls.
 * @cannot Recognize polling while the result stays the same: raise `hintAfter` for such an agent.
 * @example
 * output:
 *   - use: loop-detection
 *     options: { hintAfter: 2, endAfter: 3, response: I cannot get any further with this. }
 */
export const loopDetection = defineProcessor({
  id: 'loop-detection',
  description: 'Gives a model a hint if it repeats calls or texts without a new result, then ends the run.',
  aliases: ['LoopDetection', 'LoopDetectionModifier'],
  stages: ['processOutputStep'],
  positions: { output: 105 },
  reads: ['steps'],
  options,
  create: (chosen) => ({ id: 'loop-detection', processOutputStep: (args) => detectLoop(chosen, args) }),
});

function detectLoop(chosen: LoopDetectionOptions, args: ProcessOutputStepArgs): void {
  const { toolCalls, text, messageList, state } = args;
  // The run ends with an answer without calls.
  if (toolCalls.length === 0) return;
  const steps = args.steps.filter(({ stepNumber }) => stepNumber < args.stepNumber);
  const most = Math.max(chosen.hintAfter, chosen.maxPeriod) + chosen.endAfter;
  const loops = findLoops([...steps, { toolCalls, text }], chosen, most);
  const measured = loops.map((loop) => ({
    ...loop,
    excess: loop.repetitions - Math.max(chosen.hintAfter, loop.period),
  }));
  const worst = measured.toSorted((one, other) => other.excess - one.excess)[0];
  if (!worst || worst.excess < 0) {
    if (state['hinted'] === true) messageList.clearSystemMessages(TAG);
    state['hinted'] = false;
    return;
  }
  const isEnd = chosen.endAfter > 0 && worst.excess >= chosen.endAfter;
  const rule = nameRule(worst);
  const message = `The model repeats ${DESCRIPTIONS[rule]}: ${worst.repetitions} repetitions.`;
  const detail = { tools: listNames(worst), period: worst.period };
  if (isEnd || state['hinted'] !== true)
    args.onViolation({ message, rule, strategy: isEnd ? 'block' : 'hint', count: worst.repetitions, detail });
  if (isEnd) return refuse(args, chosen.response, message, { rules: [rule] });
  messageList.setSystem(TAG, [describeLoop(worst)]);
  state['hinted'] = true;
}

type LoopRule = 'repeated-text' | 'repeated-call' | 'repeated-cycle';
const DESCRIPTIONS: Record<LoopRule, string> = {
  'repeated-text': 'its text',
  'repeated-call': 'a tool call',
  'repeated-cycle': 'a cycle of steps',
};

function nameRule({ tools, period }: FoundLoop): LoopRule {
  if (tools.length === 0) return 'repeated-text';
  return period > 1 ? 'repeated-cycle' : 'repeated-call';
}

const ADVICE =
  'Do not repeat this again: use other arguments or another tool, or answer with the information that you have.';

function describeLoop(loop: FoundLoop): string {
  const { period, repetitions, tools } = loop;
  if (tools.length === 0) return `Your text is the same as before, ${repetitions} times in a row. ${ADVICE}`;
  const names = listNames(loop).join(', ');
  return period > 1
    ? `Your last steps repeat a cycle of ${period} with the same arguments and results: ${names}. ${ADVICE}`
    : `You have repeated the call of ${names} ${repetitions} times in a row with the same arguments. ${ADVICE}`;
}

const listNames = ({ tools }: FoundLoop): string[] =>
  tools.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME_LENGTH));
