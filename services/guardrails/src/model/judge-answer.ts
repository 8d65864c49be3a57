// Judges an answer in windows for a guard that asks a model or another service: buffers each window of the stream until
// it is judged, and at the end judges the text that was not streamed. It judges text and reasoning, not tool arguments,
// because no reader sees those.
import type { Chunk, JsonObject } from '@millrace/contracts';
import type { CommonArgs, ProcessOutputResultArgs, ProcessOutputStreamArgs } from '@millrace/processor';
import { readObject, readString } from '../guard/entry-state.ts';
import { refuseUnjudged } from '../guard/report.ts';
import { BOUNDS } from '../work/bounds.ts';
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
} from './answer-texts.ts';
import { cutWindows, hashWindow, type AnswerWindow, type WindowSizes } from './answer-windows.ts';

type AnswerArgs = CommonArgs & Pick<ProcessOutputStreamArgs, 'messageList'>;

export type AnswerGuard = WindowSizes & {
  /** Answer of a run that a bound stops. */
  response?: string | undefined;
  /** Bound of the text that is buffered for one window. */
  bound: 'modelText' | 'endpointText';
  /** False: reasoning passes unjudged. */
  judgesReasoning: boolean;
  /**
   * Returns the text of each window that may pass; '' removes a window. Throws (abort, halt).
   * @param what stream or answer, for the report
   */
  judgeWindows(args: AnswerArgs, windows: readonly AnswerWindow[], what: string): Promise<string[]>;
};

/** Maximum number of passed windows that a run remembers; others are judged again at its end. */
const MAX_REMEMBERED = 500;

export async function judgeAnswerStream(guard: AnswerGuard, args: ProcessOutputStreamArgs): Promise<Chunk[]> {
  const { part, state } = args;
  if (isDelta(part)) {
    const isJudged = guard.judgesReasoning || part.type === 'text-delta';
    return isJudged ? judgePartText(guard, args, part, part.payload.text, false) : [part];
  }
  if (isEnd(part)) return [...(await judgePartEnd(guard, args, part)), part];
  if (isEdge(part)) delete state['parts'];
  if (isRunEdge(part)) delete state['preceding'];
  return [part];
}

async function judgePartEnd(guard: AnswerGuard, args: ProcessOutputStreamArgs, part: TextEnd): Promise<Chunk[]> {
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
  guard: AnswerGuard,
  args: ProcessOutputStreamArgs,
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
  if (rest.length > BOUNDS[guard.bound]) refuseUnjudged(args, guard.response, guard.bound);
  held['text'] = rest;
  held['context'] = context;
  const passed = await passWindows(guard, args, windows, 'stream');
  return passed.flatMap((text) => (text === '' ? [] : [withText(delta, text)]));
}

/** Returns the text of each window that may pass. */
async function passWindows(
  guard: AnswerGuard,
  args: AnswerArgs,
  windows: readonly AnswerWindow[],
  what: string,
): Promise<string[]> {
  const judged = readObject(args.state, 'judged');
  const unknown = windows.filter((window) => judged[hashWindow(window)] !== true);
  const passed = new Map<AnswerWindow, string>();
  if (unknown.length > 0) {
    const texts = await guard.judgeWindows(args, unknown, what);
    for (const [at, window] of unknown.entries()) passed.set(window, texts[at] ?? '');
  }
  // A replaced text is remembered, too: it is the one that the end of the run contains.
  remember(
    judged,
    [...passed].flatMap(([{ context }, text]) => (text === '' ? [] : [{ context, text }])),
  );
  return windows.map((window) => passed.get(window) ?? window.text);
}

function remember(judged: JsonObject, windows: readonly AnswerWindow[]): void {
  let left = MAX_REMEMBERED - Object.keys(judged).length;
  for (const window of windows) if (left-- > 0) judged[hashWindow(window)] = true;
}

/** Judges the stored text and the text that finish repeats, unless the stream passed the same text. */
export async function judgeAnswerResult(guard: AnswerGuard, args: ProcessOutputResultArgs): Promise<void> {
  const contexts = { text: '', reasoning: '' };
  await replaceAnswerTexts(args, async (text, type) => {
    if (type === 'reasoning' && !guard.judgesReasoning) return text;
    const { windows, context } = cutWindows(text, contexts[type], guard, true);
    contexts[type] = context;
    return (await passWindows(guard, args, windows, 'answer')).join('');
  });
}
