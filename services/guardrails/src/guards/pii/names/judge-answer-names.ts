// Finds names and addresses in an answer after the rules have filtered it: one model call per window of the stream. The
// model also reads the text after a window, and a window never ends inside a name. The first window of a part is read
// with the end of the preceding part, which has passed: readers join the parts and steps of an answer.
import type { Chunk, JsonObject } from '@millrace/contracts';
import type { CommonArgs, ProcessOutputResultArgs, ProcessOutputStreamArgs } from '@millrace/processor';
import { readNumber, readObject, readString } from '../../../guard/entry-state.ts';
import { createReport, type GuardHit } from '../../../guard/report.ts';
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
} from '../../../model/answer-texts.ts';
import { alignToCharacter, takeEnd } from '../../../text/span.ts';
import { createFinder, needsModel, maskNames, type NameGuard } from './name-guard.ts';

/** Length of a window and of the following text that is judged with it, in code units. */
const WINDOW = 200;
const AHEAD = 50;
/** Maximum number of passed parts that a run remembers; others are judged again at the end of the run. */
const MAX_PASSED = 1_000;
/** @param chunks the rules' output for `args.part` */
export async function judgeNamesOfStream(
  names: NameGuard,
  args: ProcessOutputStreamArgs,
  chunks: readonly Chunk[],
): Promise<Chunk[]> {
  const passed: Chunk[] = [];
  const own = readObject(args.state, 'names');
  for (const part of chunks) {
    if (isDelta(part)) passed.push(...(await judgePartText(names, args, own, part, part.payload.text, false)));
    else if (isEnd(part)) passed.push(...(await judgePartEnd(names, args, own, part)), part);
    else {
      if (isEdge(part)) delete own['parts'];
      if (isRunEdge(part)) delete own['preceding'];
      passed.push(part);
    }
  }
  return passed;
}

async function judgePartEnd(
  names: NameGuard,
  args: ProcessOutputStreamArgs,
  own: JsonObject,
  part: TextEnd,
): Promise<Chunk[]> {
  const delta = toLastDelta(part);
  const isCut = part.payload.complete === false;
  const passed = isCut ? [] : await judgePartText(names, args, own, delta, '', true);
  const parts = readObject(own, 'parts');
  const known = readObject(own, 'passed');
  if (!isCut && Object.keys(known).length < MAX_PASSED) {
    known[toSumKey(readObject(readObject(parts, getPartKey(delta)), 'sum'))] = true;
  }
  const tail = readString(readObject(parts, getPartKey(delta)), 'tail');
  const preceding = readObject(own, 'preceding');
  if (!isCut) preceding[delta.type] = takeEnd(readString(preceding, delta.type) + tail, AHEAD);
  delete parts[getPartKey(delta)];
  return passed;
}

async function judgePartText(
  names: NameGuard,
  args: ProcessOutputStreamArgs,
  own: JsonObject,
  delta: TextDelta,
  text: string,
  isWhole: boolean,
): Promise<Chunk[]> {
  const held = readObject(readObject(own, 'parts'), getPartKey(delta));
  const given = readString(held, 'text') + text;
  const before = readString(held, 'tail') === '' ? readString(readObject(own, 'preceding'), delta.type) : '';
  const { passed, rest } = await passWindows(names, args, given, { isWhole, before, where: delta.type });
  held['text'] = rest;
  held['tail'] = takeEnd(readString(held, 'tail') + given.slice(0, given.length - rest.length), AHEAD);
  addText(readObject(held, 'sum'), passed);
  return passed === '' ? [] : [withText(delta, passed)];
}

/**
 * Returns the decided windows, masked, and the undecided rest. Throws (abort, halt) if the strategy is block.
 * @param before the end of the preceding part, which is read with the first window and not returned
 */
async function passWindows(
  names: NameGuard,
  args: CommonArgs,
  text: string,
  { isWhole, before = '', where }: { isWhole: boolean; before?: string; where: string },
): Promise<{ passed: string; rest: string }> {
  let passed = '';
  let rest = before + text;
  let known = before.length;
  const undecided = isWhole ? 0 : WINDOW + AHEAD;
  while (rest.length - known > undecided) {
    const most = known + WINDOW + AHEAD;
    const isLast = rest.length <= most;
    const seen = isLast ? rest : rest.slice(0, alignToCharacter(rest, most));
    const hits = (await findHits(names, args, seen)).filter((hit) => hit.end > known);
    const end = isLast ? rest.length : findWindowEnd(seen, known, hits);
    const own = hits.filter((hit) => hit.end <= end);
    const report = createReport(names.guard, args);
    report.add(own, seen, { chunk: where });
    report.send();
    passed += maskNames(names, args, rest.slice(0, end), own, known);
    rest = rest.slice(end);
    known = 0;
  }
  rest = rest.slice(known);
  return { passed, rest };
}

/** Returns the window's end, moved to the edge of a name that crosses it. */
function findWindowEnd(seen: string, known: number, hits: readonly GuardHit[]): number {
  const end = alignToCharacter(seen, known + WINDOW);
  const across = hits.find((hit) => hit.start < end && end < hit.end);
  if (!across) return end;
  return across.start > known ? across.start : across.end;
}

async function findHits(names: NameGuard, args: CommonArgs, text: string): Promise<GuardHit[]> {
  if (!needsModel(names, text)) return [];
  const answer = await names.judge.ask(text, args);
  return createFinder(names, args, answer)(text);
}

/** Judges an answer that was not streamed in the same form. */
export async function judgeNamesOfResult(names: NameGuard, args: ProcessOutputResultArgs): Promise<void> {
  await replaceAnswerTexts(args, async (text, type) => {
    const known = readObject(readObject(args.state, 'names'), 'passed');
    const sum: JsonObject = {};
    addText(sum, text);
    return toSumKey(sum) in known
      ? text
      : (await passWindows(names, args, text, { isWhole: true, where: type })).passed;
  });
}

const FIRST = 0x811c9dc5;
const SECOND = 0x9747b28c;
const PRIME = 0x01000193;

/**
 * Adds a text to a checksum of two sums over code units; an empty object is the first checksum. Equal sums mean that the text at the end
 * of a run is the streamed one, however it was cut. The sums are neither secret nor proof: both texts belong to the run.
 */
function addText(sum: JsonObject, text: string): void {
  let first = readNumber(sum, 'length') === 0 ? FIRST : readNumber(sum, 'first');
  let second = readNumber(sum, 'length') === 0 ? SECOND : readNumber(sum, 'second');
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    first = Math.imul(first ^ unit, PRIME);
    second = Math.imul(second + unit, PRIME) ^ (second >>> 13);
  }
  sum['first'] = first;
  sum['second'] = second;
  sum['length'] = readNumber(sum, 'length') + text.length;
}

const toSumKey = (sum: JsonObject): string =>
  ['first', 'second', 'length'].map((name) => readNumber(sum, name)).join(' ');
