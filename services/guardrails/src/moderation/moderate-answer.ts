// An answer before a model: its stream in windows, each held back until it was judged, and at the end whatever no stream has shown.
// Text and reasoning; the arguments of tools are not told to anybody.
import type { Chunk, JsonObject } from '@millrace/contracts';
import type { CommonArgs, ProcessOutputResultArgs, ProcessOutputStreamArgs } from '@millrace/processor';
import { numberIn, objectIn, stringIn } from '../guard/entry-state.ts';
import { refuseUnjudged } from '../guard/report.ts';
import { BOUNDS } from '../guard/bounds.ts';
import {
  isDelta,
  isEdge,
  isEnd,
  lastDelta,
  partKey,
  replaceAnswerTexts,
  withText,
  type TextDelta,
  type TextEnd,
} from '../model/answer-texts.ts';
import { flagsOf, isFlagged, report, type ModelModeration } from './model-verdicts.ts';
import { cutWindows, windowKey, type Window } from './windows.ts';

type Args = ProcessOutputStreamArgs;

/** Windows of a run that are remembered as passed; more are judged again at its end. */
const MAX_REMEMBERED = 500;

export async function moderateStream(guard: ModelModeration, args: Args): Promise<Chunk[]> {
  const { part, state } = args;
  if (isDelta(part)) return onText(guard, args, part, part.payload.text, false);
  if (isEnd(part)) return [...(await onEnd(guard, args, part)), part];
  if (isEdge(part)) delete state['parts'];
  return [part];
}

async function onEnd(guard: ModelModeration, args: Args, part: TextEnd): Promise<Chunk[]> {
  const parts = objectIn(args.state, 'parts');
  const last = lastDelta(part);
  // What was cut off is undecided for good.
  const passed = part.payload.complete === false ? [] : await onText(guard, args, last, '', true);
  delete parts[partKey(last)];
  return passed;
}

async function onText(
  guard: ModelModeration,
  args: Args,
  delta: TextDelta,
  text: string,
  isWhole: boolean,
): Promise<Chunk[]> {
  const held = objectIn(objectIn(args.state, 'parts'), partKey(delta));
  const { windows, rest, context } = cutWindows(
    stringIn(held, 'text') + text,
    stringIn(held, 'context'),
    guard,
    isWhole,
  );
  held['text'] = rest;
  held['context'] = context;
  const passed = await passedWindows(guard, args, windows, 'stream');
  return passed.flatMap(({ text }) => (text === '' ? [] : [withText(delta, text)]));
}

/** Throws (abort, halt) with strategy block. */
async function passedWindows(
  guard: ModelModeration,
  args: CommonArgs,
  windows: readonly Window[],
  what: string,
): Promise<Window[]> {
  const { state } = args;
  const judged = objectIn(state, 'judged');
  const unknown = windows.filter((window) => judged[windowKey(window)] !== true);
  const calls = numberIn(state, 'calls') + unknown.length;
  if (calls > BOUNDS.modelWindows) refuseUnjudged(args, guard.response, 'modelWindows');
  state['calls'] = calls;
  const flags = await flagsOf(
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

function remember(judged: JsonObject, windows: readonly Window[]): void {
  let left = MAX_REMEMBERED - Object.keys(judged).length;
  for (const window of windows) if (left-- > 0) judged[windowKey(window)] = true;
}

/** What is stored, and what finish repeats: judged unless the stream has shown it so. */
export async function moderateResult(guard: ModelModeration, args: ProcessOutputResultArgs): Promise<void> {
  await replaceAnswerTexts(args, async (text) => {
    const { windows } = cutWindows(text, '', guard, true);
    const passed = await passedWindows(guard, args, windows, 'answer');
    return passed.length === windows.length ? text : passed.map((window) => window.text).join('');
  });
}
