// content-length: how much a caller may send and an answer may hold. At the limit it passes, one more stops the run. In the stream
// the delta that would be too much is not let through, so a client never sees more than the limit.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { modelParts, type Chunk, type JsonObject, type Message } from '@millrace/contracts';
import {
  defineProcessor,
  stringsOf,
  type CommonArgs,
  type ProcessInputArgs,
  type ProcessOutputStepArgs,
  type ProcessOutputStreamArgs,
} from '@millrace/processor';
import { z } from 'zod';
import { numberIn, objectIn, stringIn } from '../guard/entry-state.ts';
import { mapMessage } from '../guard/message-values.ts';
import { refuse, refuseUnjudged } from '../guard/report.ts';
import { responseOption } from '../guard/strategy-options.ts';
import { slicesOf } from '../text/span.ts';
import { MAX_INLINE_COST, createTask, type Task } from '../work/task.ts';
import { prepareCounting } from './count-texts.ts';
import { UNITS, countMore, nothingCounted } from './length-counter.ts';

const limit = z.number().int().min(0).default(0);
const options = z.strictObject({
  maxInput: limit.describe('of all texts of a request together, arguments and results of tools included; 0: no limit'),
  maxOutput: limit.describe('of the text of one model answer (a step); 0: no limit'),
  unit: z.enum(UNITS).default('codePoints').describe('graphemes: what a reader takes for one character'),
  response: responseOption,
});
type Options = z.output<typeof options>;

/**
 * At the limit a text passes, one more stops the run. In the stream, the delta that would be too much is not let through, so a client
 * never sees more than the limit.
 *
 * @verdict continue: within the limit
 * @verdict abort: above it
 * @verdict halt: above it, where `response` is set
 * @cannot Count tokens: that is what token-limiter does.
 * @cannot Cut: what is too long is refused, not shortened.
 * @cannot Limit reasoning and tool arguments, which are not the answer.
 * @example
 * input:
 *   - use: content-length
 *     options: { maxInput: 20000 }
 * output:
 *   - use: content-length
 *     options: { maxOutput: 4000, unit: graphemes }
 */
export const contentLength = defineProcessor({
  id: 'content-length',
  description: 'Stops a run whose input or answer is longer than a limit.',
  aliases: ['ContentGuard'],
  stages: ['processInput', 'processOutputStream', 'processOutputStep'],
  reads: ['input'],
  changes: { processInput: 'never', processOutputStep: 'never' },
  options,
  create(chosen) {
    const guard = { ...chosen, task: createTask('content-length', prepareCounting, { unit: chosen.unit }) };
    return {
      id: 'content-length',
      processInput: (args) => judgeInput(guard, args),
      processOutputStream: (args) => judgeDelta(guard, args),
      processOutputStep: (args) => judgeStep(guard, args),
    };
  },
});

type LengthGuard = Options & { task: Task<number> };

async function judgeInput(guard: LengthGuard, args: ProcessInputArgs): Promise<void> {
  if (guard.maxInput === 0) return;
  const length = await lengthOf(guard, args, args.messageList.get.input.db().flatMap(textsOf));
  if (length > guard.maxInput) stop(guard, args, 'input', length, guard.maxInput);
}

/** All that a model reads, whatever the role. */
function textsOf(message: Message): string[] {
  const texts: string[] = [];
  mapMessage({ ...message, content: { format: 2, parts: modelParts(message) } }, (value) => {
    texts.push(...stringsOf(value));
    return value;
  });
  return texts;
}

function judgeDelta(guard: LengthGuard, args: ProcessOutputStreamArgs): Chunk | Promise<Chunk> {
  const { part, state, stepNumber } = args;
  if (guard.maxOutput === 0) return part;
  const counted = objectIn(state, 'answer');
  if (part.type === 'step-start' || numberIn(counted, 'step') !== stepNumber) startOver(counted, stepNumber);
  if (part.type !== 'text-delta') return part;
  if (part.payload.text.length > MAX_INLINE_COST) return judgeInSlices(guard, args, counted, part.payload.text);
  judgeText(guard, args, counted, part.payload.text);
  return part;
}

/** A long delta takes several turns of the event loop, and passes or stops as a whole. */
async function judgeInSlices(
  guard: LengthGuard,
  args: ProcessOutputStreamArgs,
  counted: JsonObject,
  text: string,
): Promise<Chunk> {
  for (const slice of slicesOf(text, MAX_INLINE_COST)) {
    judgeText(guard, args, counted, slice);
    await nextTurn();
    args.abortSignal.throwIfAborted();
  }
  return args.part;
}

function judgeText(guard: LengthGuard, args: ProcessOutputStreamArgs, counted: JsonObject, text: string): void {
  const before = {
    count: numberIn(counted, 'count'),
    half: stringIn(counted, 'half'),
    state: numberIn(counted, 'state'),
  };
  const after = countMore(before, text, guard.unit);
  if (after.count > guard.maxOutput) stop(guard, args, 'answer', after.count, guard.maxOutput);
  Object.assign(counted, after);
}

function startOver(counted: JsonObject, step: number): void {
  Object.assign(counted, { step, ...nothingCounted });
}

/** What no stream has shown: an answer from a cache, or one that another processor made longer. */
async function judgeStep(guard: LengthGuard, args: ProcessOutputStepArgs): Promise<void> {
  const length = guard.maxOutput === 0 ? 0 : await lengthOf(guard, args, [args.text]);
  if (length > guard.maxOutput) stop(guard, args, 'answer', length, guard.maxOutput);
}

async function lengthOf(guard: LengthGuard, args: CommonArgs, texts: readonly string[]): Promise<number> {
  const outcome = await guard.task.run(texts, args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, guard.response, outcome.exceeded);
  return outcome.found.reduce((sum, length) => sum + length, 0);
}

function stop(guard: LengthGuard, args: CommonArgs, what: 'input' | 'answer', length: number, max: number): never {
  const message = `The ${what} is longer than ${max} ${guard.unit === 'graphemes' ? 'graphemes' : 'characters'}.`;
  const rule = `${what}-too-long`;
  args.onViolation({ message, rule, strategy: 'block', detail: { length, max, unit: guard.unit } });
  return refuse(args, guard.response, message, { rules: [rule] });
}
