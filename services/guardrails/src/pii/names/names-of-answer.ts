// Names and addresses in an answer, in what the rules have let through: one call for each window of the stream. A window is judged with
// what follows it, and ends where no name stands.
import type { Chunk, JsonObject } from '@millrace/contracts';
import type { CommonArgs, ProcessOutputResultArgs, ProcessOutputStreamArgs } from '@millrace/processor';
import { BOUNDS } from '../../guard/bounds.ts';
import { numberIn, objectIn, stringIn } from '../../guard/entry-state.ts';
import { createReport, refuseUnjudged, type Hit } from '../../guard/report.ts';
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
} from '../../model/answer-texts.ts';
import { wholeCharacter } from '../../text/span.ts';
import { finderOf, isAsked, masked, type NameGuard } from './name-guard.ts';
import { addText, sumKey } from './text-sum.ts';

/** Code units of a window, and of what follows it, that are judged together. */
const WINDOW = 200;
const AHEAD = 50;
/** Parts that are remembered as passed; more are judged again at the end of the run. */
const MAX_PASSED = 1_000;
/** @param chunks what the rules have let through of `args.part` */
export async function judgeNamesOfStream(
  names: NameGuard,
  args: ProcessOutputStreamArgs,
  chunks: readonly Chunk[],
): Promise<Chunk[]> {
  const passed: Chunk[] = [];
  const own = objectIn(args.state, 'names');
  for (const part of chunks) {
    if (isDelta(part)) passed.push(...(await onText(names, args, own, part, part.payload.text, false)));
    else if (isEnd(part)) passed.push(...(await onEnd(names, args, own, part)), part);
    else {
      if (isEdge(part)) delete own['parts'];
      passed.push(part);
    }
  }
  return passed;
}

async function onEnd(
  names: NameGuard,
  args: ProcessOutputStreamArgs,
  own: JsonObject,
  part: TextEnd,
): Promise<Chunk[]> {
  const delta = lastDelta(part);
  const isCut = part.payload.complete === false;
  const passed = isCut ? [] : await onText(names, args, own, delta, '', true);
  const parts = objectIn(own, 'parts');
  const known = objectIn(own, 'passed');
  if (!isCut && Object.keys(known).length < MAX_PASSED) {
    known[sumKey(objectIn(objectIn(parts, partKey(delta)), 'sum'))] = true;
  }
  delete parts[partKey(delta)];
  return passed;
}

async function onText(
  names: NameGuard,
  args: ProcessOutputStreamArgs,
  own: JsonObject,
  delta: TextDelta,
  text: string,
  isWhole: boolean,
): Promise<Chunk[]> {
  const held = objectIn(objectIn(own, 'parts'), partKey(delta));
  const { passed, rest } = await passWindows(names, args, stringIn(held, 'text') + text, isWhole, delta.type);
  held['text'] = rest;
  addText(objectIn(held, 'sum'), passed);
  return passed === '' ? [] : [withText(delta, passed)];
}

/** Windows that are decided, masked, and what is not. Throws (abort, halt) with strategy block. */
async function passWindows(
  names: NameGuard,
  args: CommonArgs,
  text: string,
  isWhole: boolean,
  where: string,
): Promise<{ passed: string; rest: string }> {
  let passed = '';
  let rest = text;
  const undecided = isWhole ? 0 : WINDOW + AHEAD;
  while (rest.length > undecided) {
    const isLast = rest.length <= WINDOW + AHEAD;
    const seen = isLast ? rest : rest.slice(0, wholeCharacter(rest, WINDOW + AHEAD));
    const hits = await hitsIn(names, args, seen);
    const end = isLast ? rest.length : endOf(seen, hits);
    const own = hits.filter((hit) => hit.end <= end);
    const report = createReport(names.guard, args);
    report.add(own, seen, { chunk: where });
    report.send();
    passed += masked(names, args, rest.slice(0, end), own);
    rest = rest.slice(end);
  }
  return { passed, rest };
}

/** The window's end, or that of the name that stands there. */
function endOf(seen: string, hits: readonly Hit[]): number {
  const end = wholeCharacter(seen, WINDOW);
  const across = hits.find((hit) => hit.start < end && end < hit.end);
  if (!across) return end;
  return across.start > 0 ? across.start : across.end;
}

async function hitsIn(names: NameGuard, args: CommonArgs, text: string): Promise<Hit[]> {
  if (!isAsked(names, text)) return [];
  const own = objectIn(args.state, 'names');
  const calls = numberIn(own, 'calls') + 1;
  if (calls > BOUNDS.modelWindows) refuseUnjudged(args, names.guard.response, 'modelWindows');
  own['calls'] = calls;
  const answer = await names.judge.ask(text, args.abortSignal);
  return finderOf(names, args, answer)(text);
}

/** The answer, where no stream has shown it as it is. */
export async function judgeNamesOfResult(names: NameGuard, args: ProcessOutputResultArgs): Promise<void> {
  await replaceAnswerTexts(args, async (text, type) => {
    const known = objectIn(objectIn(args.state, 'names'), 'passed');
    const sum: JsonObject = {};
    addText(sum, text);
    return sumKey(sum) in known ? text : (await passWindows(names, args, text, true, type)).passed;
  });
}
