// content-length: how much a user may send and an answer may hold. At the limit it passes, one more stops the run. In the stream
// the delta that would be too much is not let through, so a client never sees more than the limit.
import { messageText, type JsonObject } from '@millrace/contracts';
import {
  defineProcessor,
  type CommonArgs,
  type ProcessInputArgs,
  type ProcessOutputStepArgs,
  type ProcessOutputStreamArgs,
} from '@millrace/processor';
import { z } from 'zod';
import { refuse } from '../guard/refuse.ts';
import { numberIn, objectIn, stringIn } from '../guard/run-state.ts';
import { responseOption } from '../guard/strategy-options.ts';
import { userMessages } from '../guard/user-messages.ts';
import { UNITS, countMore, lengthOf } from './length-counter.ts';

const limit = z.number().int().min(0).default(0);
const options = z.strictObject({
  maxInput: limit.describe('of the texts of all user messages of a request together; 0: no limit'),
  maxOutput: limit.describe('of the text of one model answer (a step); 0: no limit'),
  unit: z.enum(UNITS).default('codePoints').describe('graphemes: what a reader takes for one character'),
  response: responseOption,
});
type Options = z.output<typeof options>;

export const contentLength = defineProcessor({
  id: 'content-length',
  description: 'Stops a run whose input or answer is longer than a limit.',
  aliases: ['ContentGuard'],
  stages: ['processInput', 'processOutputStream', 'processOutputStep'],
  reads: ['input'],
  options,
  create: (chosen) => ({
    id: 'content-length',
    processInput: (args) => checkInput(chosen, args),
    processOutputStream: (args) => checkDelta(chosen, args),
    processOutputStep: (args) => checkAnswer(chosen, args),
  }),
});

function checkInput(chosen: Options, args: ProcessInputArgs): void {
  if (chosen.maxInput === 0) return;
  const lengths = userMessages(args.messageList).map((message) => lengthOf(messageText(message), chosen.unit));
  const length = lengths.reduce((sum, more) => sum + more, 0);
  if (length > chosen.maxInput) stop(chosen, args, 'input', length, chosen.maxInput);
}

function checkDelta(chosen: Options, args: ProcessOutputStreamArgs) {
  const { part, state, stepNumber } = args;
  if (chosen.maxOutput === 0) return part;
  const counted = objectIn(state, 'answer');
  if (part.type === 'step-start' || numberIn(counted, 'step') !== stepNumber) startOver(counted, stepNumber);
  if (part.type !== 'text-delta') return part;
  const before = { count: numberIn(counted, 'count'), tail: stringIn(counted, 'tail') };
  const { count, tail } = countMore(before, part.payload.text, chosen.unit);
  if (count > chosen.maxOutput) stop(chosen, args, 'answer', count, chosen.maxOutput);
  counted['count'] = count;
  counted['tail'] = tail;
  return part;
}

function startOver(counted: JsonObject, step: number): void {
  counted['step'] = step;
  counted['count'] = 0;
  counted['tail'] = '';
}

/** What no stream has shown: an answer from a cache, or one that another processor made longer. */
function checkAnswer(chosen: Options, args: ProcessOutputStepArgs): void {
  const length = chosen.maxOutput === 0 ? 0 : lengthOf(args.text, chosen.unit);
  if (length > chosen.maxOutput) stop(chosen, args, 'answer', length, chosen.maxOutput);
}

function stop(chosen: Options, args: CommonArgs, what: string, length: number, max: number): never {
  const message = `The ${what} is longer than ${max} ${chosen.unit === 'graphemes' ? 'graphemes' : 'characters'}.`;
  const detail = { what, length, max, unit: chosen.unit };
  args.onViolation({ message, strategy: 'block', detail });
  return refuse(args, chosen.response, message, detail);
}
