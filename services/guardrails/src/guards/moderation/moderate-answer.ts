// Moderates an answer: buffers each window of the stream until the model has judged it, and at the end judges the text
// that was not streamed. It judges text and reasoning, not tool arguments, because no reader sees those.
import type { Chunk, JsonObject } from '@millrace/contracts';
import type { CommonArgs, ProcessOutputResultArgs, ProcessOutputStreamArgs } from '@millrace/processor';
import { readNumber, readObject, readString } from '../../guard/entry-state.ts';
import { refuseUnjudged } from '../../guard/report.ts';
import { BOUNDS } from '../../work/bounds.ts';
import {
  isDelta,
  isEdge,
  isEnd,
  isRunEdge,
  toLastDelta,
  getPartKey,
  replaceAnswerTexts,
  withText,
  type TextDelta,
  type TextEnd,
} from '../../model/answer-texts.ts';
import { requestFlags, isFlagged, report, type ModelModeration } from './model-verdicts.ts';
import { cutWindows, hashWindow, type ModerationWindow } from './windows.ts';

type AnswerArgs = ProcessOutputStreamArgs;

/** Maximum number of passed windows that a run remembers; others are judged again at its end. */
const MAX_REMEMBERED = 500;

export async function moderateStream(guard: ModelModeration, args: AnswerArgs): Promise<Chunk[]> {
  const { part, state } = args;
  if (isDelta(part)) return judgePartText(guard, args, part, part.payload.text, false);
  if (isEnd(part)) return [...(await judgePartEnd(guard, args, part)), part];
  if (isEdge(part)) delete state['parts'];
  if (isRunEdge(part)) delete state['preceding'];
  return [part];
}

async function judgePartEnd(guard: ModelModeration, args: AnswerArgs, part: TextEnd): Promise<Chunk[]> {
  const parts = readObject(args.state, 'parts');
  const last = toLastDelta(part);
  // Drops the rest of a part that was cut off, because it stays undecided.
  const passed = part.payload.complete === false ? [] : await judgePartText(guard, args, last, '', true);
  const { context } = readObject(parts, getPartKey(last));
  if (context !== undefined) readObject(args.state, 'preceding')[last.type] = context;
  delete parts[getPartKey(last)];
  return passed;
}

async function judgePartText(
  guard: ModelModeration,
  args: AnswerArgs,
  delta: TextDelta,
  text: string,
  isWhole: boolean,
): Promise<Chunk[]> {
  const held = readObject(readObject(args.state, 'parts'), getPartKey(delta));
  // Readers join the parts and steps of an answer, so the end of the preceding part is context too.
  held['context'] ??= readString(readObject(args.state, 'preceding'), delta.type);
  const { windows, rest, context } = cutWindows(
    readString(held, 'text') + text,
    readString(held, 'context'),
    guard,
    isWhole,
  );
  held['text'] = rest;
  held['context'] = context;
  const passed = await passWindows(guard, args, windows, 'stream');
  return passed.flatMap(({ text }) => (text === '' ? [] : [withText(delta, text)]));
}

/** Throws (abort, halt) if the strategy is block. */
async function passWindows(
  guard: ModelModeration,
  args: CommonArgs,
  windows: readonly ModerationWindow[],
  what: string,
): Promise<ModerationWindow[]> {
  const { state } = args;
  const judged = readObject(state, 'judged');
  const unknown = windows.filter((window) => judged[hashWindow(window)] !== true);
  const calls = readNumber(state, 'calls') + unknown.length;
  if (calls > BOUNDS.modelWindows) refuseUnjudged(args, guard.response, 'modelWindows');
  state['calls'] = calls;
  const flags = await requestFlags(
    guard,
    args,
    unknown.map(({ context, text }) => context + text),
  );
  report(guard, args, what, flags);
  const flagged = new Set(unknown.filter((_, at) => isFlagged(flags[at])));
  remember(
    judged,
    unknown.filter((window) => !flagged.has(window)),
  );
  return guard.strategy === 'filter' ? windows.filter((window) => !flagged.has(window)) : [...windows];
}

function remember(judged: JsonObject, windows: readonly ModerationWindow[]): void {
  let left = MAX_REMEMBERED - Object.keys(judged).length;
  for (const window of windows) if (left-- > 0) judged[hashWindow(window)] = true;
}

/** Judges the stored text and the text that finish repeats, unless the stream passed the same text. */
export async function moderateResult(guard: ModelModeration, args: ProcessOutputResultArgs): Promise<void> {
  const contexts = { text: '', reasoning: '' };
  await replaceAnswerTexts(args, async (text, type) => {
    const { windows, context } = cutWindows(text, contexts[type], guard, true);
    contexts[type] = context;
    const passed = await passWindows(guard, args, windows, 'answer');
    return passed.length === windows.length ? text : passed.map((window) => window.text).join('');
  });
}
