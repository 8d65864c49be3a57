// content-length: limits the length of a request and of an answer. A text at the limit passes, a longer one stops the
// run. The stream stage drops the delta that exceeds the limit, so a client never receives more.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listModelParts, type Chunk, type JsonObject, type Message } from '@millrace/contracts';
import {
  defineProcessor,
  listTexts,
  type CommonArgs,
  type ProcessInputArgs,
  type ProcessOutputStepArgs,
  type ProcessOutputStreamArgs,
} from '@millrace/processor';
import { z } from 'zod';
import { readNumber, readObject, readString } from '../../guard/entry-state.ts';
import { mapMessage } from '../../guard/message-values.ts';
import { refuse, refuseUnjudged } from '../../guard/report.ts';
import { responseOption } from '../../guard/strategy-options.ts';
import { sliceText } from '../../text/span.ts';
import { MAX_INLINE_COST, createTask, type Task } from '../../work/task.ts';
import { UNITS, countMore, nothingCounted, countLength, type LengthUnit } from '../../text/length-counter.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';

const limit = z.number().int().min(0).default(0);
const options = z.strictObject({
  maxInput: limit.describe(
    'Maximum length of all texts of a request together, including arguments and results of tools. 0 disables the limit.',
  ),
  maxOutput: limit.describe('Maximum length of the text of one model answer (a step). 0 disables the limit.'),
  unit: z.enum(UNITS).default('codePoints').describe('Unit of length. A grapheme is one character as displayed.'),
  response: responseOption,
});
type ContentLengthOptions = z.output<typeof options>;

/**
 * Accepts texts up to the limit and stops the run above it. In the stream, the processor drops the delta that exceeds
 * the limit, so a client never receives more than the limit.
 *
 * @verdict continue: within the limit
 * @verdict abort: above it
 * @verdict halt: above it, if `response` is set
 * @cannot Count tokens: use token-limiter.
 * @cannot Shorten a text: it rejects texts above the limit.
 * @cannot Limit reasoning and tool arguments, which are not part of the answer.
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
  description: 'Stops a run if its input or answer exceeds a length.',
  aliases: ['ContentGuard'],
  stages: ['processInput', 'processOutputStream', 'processOutputStep'],
  positions: { input: 110, output: 120 },
  judgesText: true,
  reads: ['input'],
  changes: { processInput: 'never', processOutputStep: 'never' },
  options,
  create(chosen) {
    const guard = { ...chosen, task: createTask(countingTask, { unit: chosen.unit }) };
    return {
      id: 'content-length',
      processInput: (args) => judgeInput(guard, args),
      processOutputStream: (args) => judgeDelta(guard, args),
      processOutputStep: (args) => judgeStep(guard, args),
    };
  },
});

type LengthGuard = ContentLengthOptions & { task: Task<number> };

async function judgeInput(guard: LengthGuard, args: ProcessInputArgs): Promise<void> {
  if (guard.maxInput === 0) return;
  const length = await measureTexts(guard, args, args.messageList.get.input.db().flatMap(listMessageTexts));
  if (length > guard.maxInput) stop(guard, args, 'input', length, guard.maxInput);
}

/** Lists all texts of a message that the model reads, regardless of its role. */
function listMessageTexts(message: Message): string[] {
  const texts: string[] = [];
  mapMessage({ ...message, content: { format: 2, parts: listModelParts(message) } }, (value) => {
    for (const text of listTexts(value)) texts.push(text);
    return value;
  });
  return texts;
}

function judgeDelta(guard: LengthGuard, args: ProcessOutputStreamArgs): Chunk | Promise<Chunk> {
  const { part, state, stepNumber } = args;
  if (guard.maxOutput === 0) return part;
  const counted = readObject(state, 'answer');
  if (part.type === 'step-start' || readNumber(counted, 'step') !== stepNumber) startOver(counted, stepNumber);
  if (part.type !== 'text-delta') return part;
  if (part.payload.text.length > MAX_INLINE_COST) return judgeInSlices(guard, args, counted, part.payload.text);
  judgeText(guard, args, counted, part.payload.text);
  return part;
}

/** Judges a long delta over several turns of the event loop, and passes or stops it as a whole. */
async function judgeInSlices(
  guard: LengthGuard,
  args: ProcessOutputStreamArgs,
  counted: JsonObject,
  text: string,
): Promise<Chunk> {
  for (const slice of sliceText(text, MAX_INLINE_COST)) {
    judgeText(guard, args, counted, slice);
    await nextTurn();
    args.abortSignal.throwIfAborted();
  }
  return args.part;
}

function judgeText(guard: LengthGuard, args: ProcessOutputStreamArgs, counted: JsonObject, text: string): void {
  const before = { count: readNumber(counted, 'count'), kept: readString(counted, 'kept') };
  const after = countMore(before, text, guard.unit);
  if (after.count > guard.maxOutput) stop(guard, args, 'answer', after.count, guard.maxOutput);
  Object.assign(counted, after);
}

function startOver(counted: JsonObject, step: number): void {
  Object.assign(counted, { step, ...nothingCounted });
}

/** Judges text that was not streamed: an answer from a cache, or one that another processor extended. */
async function judgeStep(guard: LengthGuard, args: ProcessOutputStepArgs): Promise<void> {
  const length = guard.maxOutput === 0 ? 0 : await measureTexts(guard, args, [args.text]);
  if (length > guard.maxOutput) stop(guard, args, 'answer', length, guard.maxOutput);
}

async function measureTexts(guard: LengthGuard, args: CommonArgs, texts: readonly string[]): Promise<number> {
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

/** Counts the length of texts. The guard compares the sum with its limit. */
const prepareCounting: PrepareJudge<{ unit: LengthUnit }, number> =
  ({ unit }) =>
  (texts) =>
    texts.map((text) => countLength(text, unit));

const countingTask = defineTask(import.meta.url, prepareCounting);
