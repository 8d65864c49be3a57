// Truncates an answer to a token limit, at the same piece regardless of the chunk sizes. Reasoning and tool arguments
// are not part of the answer.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Chunk, ChunkOf, JsonObject, Message, MessagePart } from '@millrace/contracts';
import {
  holdBack,
  type CommonArgs,
  type ProcessOutputResultArgs,
  type ProcessOutputStreamArgs,
} from '@millrace/processor';
import { readNumber, readObject } from '../../guard/entry-state.ts';
import { refuse } from '../../guard/report.ts';
import { sliceText } from '../../text/span.ts';
import { MAX_COUNTED_AT_ONCE, type CountPiece } from './count-tokens.ts';
import { splitText, splitSettled } from './pieces.ts';
import type { TokenLimiterOptions } from './token-limiter-options.ts';

export type AnswerLimiter = TokenLimiterOptions & { count: () => CountPiece };
type AnswerLimitArgs = ProcessOutputStreamArgs;

export function limitStream(limiter: AnswerLimiter, args: AnswerLimitArgs): Chunk[] | Promise<Chunk[]> {
  const { part, state } = args;
  if (limiter.at === 'result') return [part];
  if (part.type === 'step-start') beginStep(state, args.stepNumber);
  if (part.type === 'text-delta' && part.payload.text.length > MAX_COUNTED_AT_ONCE)
    return limitInSlices(limiter, part, args);
  return limitChunk(limiter, part, args);
}

/** Stores the token count under the step's number, so that a restarted step or run resumes from its own start. */
function beginStep(state: JsonObject, step: number): void {
  const answer = readObject(state, 'answer');
  const before = readObject(answer, 'before');
  const known = before[String(step)];
  const used = step === 0 ? 0 : typeof known === 'number' ? known : readNumber(answer, 'used');
  state['answer'] = { used, before: { ...(step > 0 && before), [String(step)]: used } };
  delete state['parts'];
  delete state['held'];
}

function limitChunk(limiter: AnswerLimiter, part: Chunk, args: AnswerLimitArgs): Chunk[] {
  const held = readObject(args.state, 'held');
  // Of the three kinds of buffered deltas only text belongs to the answer.
  if (part.type !== 'text-delta' && part.type !== 'text-end') return [part];
  const counted = readCounter(limiter, args.state, part.payload.id);
  return holdBack(part, held, {
    countSettled: splitSettled,
    apply: (text) => fitText(limiter, args, counted, text),
  });
}

/** Splits a long delta over several turns of the event loop; the result is the same. */
async function limitInSlices(
  limiter: AnswerLimiter,
  delta: ChunkOf<'text-delta'>,
  args: AnswerLimitArgs,
): Promise<Chunk[]> {
  const passed: Chunk[] = [];
  for (const text of sliceText(delta.payload.text, MAX_COUNTED_AT_ONCE)) {
    passed.push(...limitChunk(limiter, { ...delta, payload: { ...delta.payload, text } }, args));
    await nextTurn();
    args.abortSignal.throwIfAborted();
  }
  return passed;
}

const readCounter = ({ countMode }: AnswerLimiter, state: JsonObject, part: string): JsonObject =>
  countMode === 'cumulative' ? readObject(state, 'answer') : readObject(readObject(state, 'parts'), part);

/** Returns the part of the text that fits. @param counted holds the tokens so far in `used`; changed */
function fitText(limiter: AnswerLimiter, args: CommonArgs, counted: JsonObject, text: string): string {
  const { limit } = limiter;
  const count = limiter.count();
  let used = readNumber(counted, 'used');
  if (used > limit) return '';
  let end = 0;
  for (const piece of splitText(text)) {
    used += count(piece);
    counted['used'] = used;
    if (used > limit) {
      cutOff(limiter, args);
      return text.slice(0, end);
    }
    end += piece.length;
  }
  return text;
}

/** Throws (abort, halt) if the strategy is abort. */
function cutOff({ limit, strategy, response }: AnswerLimiter, args: CommonArgs): void {
  const message = `The answer is longer than ${limit} tokens.`;
  const rule = 'answer-too-long';
  args.onViolation({ message, rule, strategy, detail: { limit } });
  if (strategy === 'abort') refuse(args, response, message, { rules: [rule] });
}

/** Limits the stored text and the text that finish repeats, including an answer that was not streamed. */
export async function limitResult(limiter: AnswerLimiter, args: ProcessOutputResultArgs): Promise<void> {
  const counted: JsonObject = {};
  for (const message of args.messageList.get.response.db()) {
    const parts: MessagePart[] = [];
    for (const part of message.content.parts) {
      const fitted = part.type === 'text' ? { ...part, text: await fitPart(limiter, args, counted, part.text) } : part;
      if (fitted.type !== 'text' || fitted.text !== '' || part === fitted) parts.push(fitted);
    }
    const limited: Message = { ...message, content: { ...message.content, parts } };
    if (JSON.stringify(limited) !== JSON.stringify(message)) args.messageList.replace(limited);
  }
}

async function fitPart(limiter: AnswerLimiter, args: CommonArgs, counted: JsonObject, text: string): Promise<string> {
  const own = limiter.countMode === 'part' ? {} : counted;
  let fitted = '';
  for (let rest = text; rest !== '';) {
    const head = rest.slice(0, MAX_COUNTED_AT_ONCE);
    const now = head.length < rest.length ? head.slice(0, splitSettled(head) || head.length) : head;
    fitted += fitText(limiter, args, own, now);
    rest = rest.slice(now.length);
    if (rest !== '') await nextTurn();
    args.abortSignal.throwIfAborted();
  }
  return fitted;
}
