// Names and addresses in an answer, in what the rules have let through: one call for each window of the stream. A window is judged with
// what follows it, and ends where no name stands.
import type { Chunk, ChunkOf, JsonObject, MessagePart } from '@millrace/contracts';
import type { CommonArgs, ProcessOutputResultArgs, ProcessOutputStreamArgs } from '@millrace/processor';
import { BOUNDS } from '../../guard/bounds.ts';
import { numberIn, objectIn, stringIn } from '../../guard/entry-state.ts';
import { createReport, refuseUnjudged, type Hit } from '../../guard/report.ts';
import { wholeCharacter } from '../../text/span.ts';
import { finderOf, isAsked, masked, type NameGuard } from './name-guard.ts';
import { addText, sumKey } from './text-sum.ts';

/** Code units of a window, and of what follows it, that are judged together. */
const WINDOW = 200;
const AHEAD = 50;
/** Parts that are remembered as passed; more are judged again at the end of the run. */
const MAX_PASSED = 1_000;
/** After these no part goes on. */
const EDGES = new Set<string>(['start', 'step-start', 'step-finish', 'finish', 'error']);

type Delta = ChunkOf<'text-delta'> | ChunkOf<'reasoning-delta'>;
type End = ChunkOf<'text-end'> | ChunkOf<'reasoning-end'>;

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
      if (EDGES.has(part.type)) delete own['parts'];
      passed.push(part);
    }
  }
  return passed;
}

async function onEnd(names: NameGuard, args: ProcessOutputStreamArgs, own: JsonObject, part: End): Promise<Chunk[]> {
  const type = part.type === 'text-end' ? 'text-delta' : 'reasoning-delta';
  const delta: Delta = { runId: part.runId, from: part.from, type, payload: { id: part.payload.id, text: '' } };
  const isCut = part.payload.complete === false;
  const passed = isCut ? [] : await onText(names, args, own, delta, '', true);
  const parts = objectIn(own, 'parts');
  const known = objectIn(own, 'passed');
  if (!isCut && Object.keys(known).length < MAX_PASSED) {
    known[sumKey(objectIn(objectIn(parts, keyOf(delta)), 'sum'))] = true;
  }
  delete parts[keyOf(delta)];
  return passed;
}

async function onText(
  names: NameGuard,
  args: ProcessOutputStreamArgs,
  own: JsonObject,
  delta: Delta,
  text: string,
  isWhole: boolean,
): Promise<Chunk[]> {
  const held = objectIn(objectIn(own, 'parts'), keyOf(delta));
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
  for (const message of args.messageList.get.response.db()) {
    const parts: MessagePart[] = [];
    for (const part of message.content.parts) parts.push(await judgedPart(names, args, part));
    if (parts.every((part, at) => part === message.content.parts[at])) continue;
    args.messageList.replace({ ...message, content: { ...message.content, parts } });
  }
}

async function judgedPart(names: NameGuard, args: ProcessOutputResultArgs, part: MessagePart): Promise<MessagePart> {
  if (part.type !== 'text' && part.type !== 'reasoning') return part;
  const text = part.type === 'text' ? part.text : part.reasoning;
  const sum: JsonObject = {};
  addText(sum, text);
  if (sumKey(sum) in objectIn(objectIn(args.state, 'names'), 'passed')) return part;
  const { passed } = await passWindows(names, args, text, true, part.type);
  if (passed === text) return part;
  return part.type === 'text' ? { ...part, text: passed } : { ...part, reasoning: passed };
}

const isDelta = (part: Chunk): part is Delta => part.type === 'text-delta' || part.type === 'reasoning-delta';
const isEnd = (part: Chunk): part is End => part.type === 'text-end' || part.type === 'reasoning-end';
const keyOf = ({ type, payload }: Delta): string => `${type} ${payload.id}`;

function withText(delta: Delta, text: string): Delta {
  if (delta.type === 'text-delta') return { ...delta, payload: { ...delta.payload, text } };
  return { ...delta, payload: { ...delta.payload, text } };
}
