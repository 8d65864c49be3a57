// An answer within a limit of tokens: the pieces that fit, from its beginning, whatever the chunks are. Reasoning and the arguments
// of tools are not the answer.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Chunk, ChunkOf, JsonObject, Message, MessagePart } from '@millrace/contracts';
import {
  holdBack,
  type CommonArgs,
  type ProcessOutputResultArgs,
  type ProcessOutputStreamArgs,
} from '@millrace/processor';
import { numberIn, objectIn } from '../guard/entry-state.ts';
import { refuse } from '../guard/report.ts';
import { slicesOf } from '../text/span.ts';
import { MAX_COUNTED_AT_ONCE, type CountPiece } from './count-tokens.ts';
import { piecesOf, settledPieces } from './pieces.ts';
import type { TokenLimiterOptions } from './token-limiter-options.ts';

export type AnswerLimiter = TokenLimiterOptions & { count: () => CountPiece };
type Args = ProcessOutputStreamArgs;

export function limitStream(limiter: AnswerLimiter, args: Args): Chunk[] | Promise<Chunk[]> {
  const { part, state } = args;
  if (limiter.at === 'result') return [part];
  if (part.type === 'step-start') beginStep(state, args.stepNumber);
  if (part.type === 'text-delta' && part.payload.text.length > MAX_COUNTED_AT_ONCE)
    return limitInSlices(limiter, part, args);
  return limitChunk(limiter, part, args);
}

/** Tokens so far stand under the step's number: one that starts over, or a run that does, begins where it began. */
function beginStep(state: JsonObject, step: number): void {
  const answer = objectIn(state, 'answer');
  const before = objectIn(answer, 'before');
  const known = before[String(step)];
  const used = step === 0 ? 0 : typeof known === 'number' ? known : numberIn(answer, 'used');
  state['answer'] = { used, before: { ...(step > 0 && before), [String(step)]: used } };
  delete state['parts'];
  delete state['held'];
}

function limitChunk(limiter: AnswerLimiter, part: Chunk, args: Args): Chunk[] {
  const held = objectIn(args.state, 'held');
  // Of the three kinds that are held back only the text is the answer.
  if (part.type !== 'text-delta' && part.type !== 'text-end') return [part];
  const counted = countedFor(limiter, args.state, part.payload.id);
  return holdBack(part, held, {
    settled: settledPieces,
    apply: (text) => fitText(limiter, args, counted, text),
  });
}

/** A long delta takes several turns of the event loop; that it is cut changes nothing in what passes. */
async function limitInSlices(limiter: AnswerLimiter, delta: ChunkOf<'text-delta'>, args: Args): Promise<Chunk[]> {
  const passed: Chunk[] = [];
  for (const text of slicesOf(delta.payload.text, MAX_COUNTED_AT_ONCE)) {
    passed.push(...limitChunk(limiter, { ...delta, payload: { ...delta.payload, text } }, args));
    await nextTurn();
    args.abortSignal.throwIfAborted();
  }
  return passed;
}

const countedFor = ({ countMode }: AnswerLimiter, state: JsonObject, part: string): JsonObject =>
  countMode === 'cumulative' ? objectIn(state, 'answer') : objectIn(objectIn(state, 'parts'), part);

/** What of the text still fits. @param counted tokens so far, `used`; changed */
function fitText(limiter: AnswerLimiter, args: CommonArgs, counted: JsonObject, text: string): string {
  const { limit } = limiter;
  const count = limiter.count();
  let used = numberIn(counted, 'used');
  if (used > limit) return '';
  let end = 0;
  for (const piece of piecesOf(text)) {
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

/** Throws (abort, halt) with strategy abort. */
function cutOff({ limit, strategy, response }: AnswerLimiter, args: CommonArgs): void {
  const message = `The answer is longer than ${limit} tokens.`;
  const rule = 'answer-too-long';
  args.onViolation({ message, rule, strategy, detail: { limit } });
  if (strategy === 'abort') refuse(args, response, message, { rules: [rule] });
}

/** What is stored, and what finish repeats: also an answer that no stream has shown. */
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
    const now = head.length < rest.length ? head.slice(0, settledPieces(head) || head.length) : head;
    fitted += fitText(limiter, args, own, now);
    rest = rest.slice(now.length);
    if (rest !== '') await nextTurn();
    args.abortSignal.throwIfAborted();
  }
  return fitted;
}
