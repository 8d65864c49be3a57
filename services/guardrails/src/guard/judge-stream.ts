// Runs the output stream through a text guard: buffers deltas at their edges and judges every other text field as a
// whole. A delta of more than a few thousand characters is split over several turns of the event loop, with the same
// result.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Chunk, ChunkOf, JsonObject } from '@millrace/contracts';
import { hasOddIds, toBareDelta, holdBack, mapChunkValues, type ProcessOutputStreamArgs } from '@millrace/processor';
import { createPlace, type JsonPlace } from '../text/json-place.ts';
import { replaceHits } from '../text/replace-hits.ts';
import { shiftSpan, sliceText, type TextSpan } from '../text/span.ts';
import { getInlineCost } from '../work/task.ts';
import { BoundExceeded } from '../work/bounds.ts';
import { readObject } from './entry-state.ts';
import type { Visit } from './map-texts.ts';
import { hashIdentity } from './identity.ts';
import { clipHit, createReport, refuseUnjudged, type GuardHit } from './report.ts';
import { collectTexts, judgeTexts, shouldReplace, type StreamRule, type TextGuard } from './text-guard.ts';

type JudgedDelta = ChunkOf<'text-delta'> | ChunkOf<'reasoning-delta'> | ChunkOf<'tool-call-delta'>;
type StreamArgs = ProcessOutputStreamArgs;

/** Throws (abort, halt) if the strategy is block, or if a text exceeds a bound. */
export function judgeStream(guard: TextGuard, args: StreamArgs): Chunk[] | Promise<Chunk[]> {
  const { part, state } = args;
  if (betweenParts.has(part.type)) for (const { placesIn } of guard.rules) delete state[placesIn];
  const delta = toDelta(part);
  if (delta) {
    const bare = toBareDelta(delta);
    return hasOddIds(bare) ? judgeOddDelta(guard, bare, args) : holdDelta(guard, bare, args);
  }
  const visit: Visit<Chunk> = (mapAt) =>
    mapChunkValues(part, (value) => guard.mapValue(value, mapAt({ chunk: part.type })));
  const texts = collectTexts(guard, args, visit);
  return texts.length > 0 ? judgeAtOnce(guard, args, visit, texts) : hold(guard, part, args);
}

function holdDelta(guard: TextGuard, delta: JudgedDelta, args: StreamArgs): Chunk[] | Promise<Chunk[]> {
  return readDeltaText(delta).length > countSliceUnits(guard)
    ? holdInSlices(guard, delta, args)
    : hold(guard, delta, args);
}

/** Judges the ids and the name as text, so that they stay those of the part's start and end. */
async function judgeOddDelta(guard: TextGuard, delta: JudgedDelta, args: StreamArgs): Promise<Chunk[]> {
  const visit: Visit<Chunk> = (mapAt) =>
    mapChunkValues(delta, (value) => guard.mapValue(value, mapAt({ chunk: delta.type })));
  const judged = await judgeTexts(guard, args, visit, collectTexts(guard, args, visit));
  return holdDelta(guard, toDelta(judged) ?? delta, args);
}

async function judgeAtOnce(guard: TextGuard, args: StreamArgs, visit: Visit<Chunk>, texts: string[]): Promise<Chunk[]> {
  // A chunk that ends a part flushes the part's buffer, whatever it contains itself.
  return hold(guard, await judgeTexts(guard, args, visit, texts), args);
}

/** Applies one rule after the other, as on a whole text: each rule buffers the output of the preceding one. */
function hold(guard: TextGuard, part: Chunk, args: StreamArgs): Chunk[] {
  return refuseExceeded(guard, args, () => {
    let parts = [part];
    for (const rule of guard.rules) {
      const [one, ...more] = parts;
      parts =
        one && more.length === 0
          ? holdBy(guard, rule, one, args)
          : parts.flatMap((each) => holdBy(guard, rule, each, args));
    }
    return parts;
  });
}

function holdBy(guard: TextGuard, rule: StreamRule, part: Chunk, args: StreamArgs): Chunk[] {
  const { findSettledEnd } = rule;
  const filter = {
    countSettled: findSettledEnd,
    apply: (text: string) => judgeText(guard, rule, part, text, args),
    applyAfter: (text: string, known: number) => judgeText(guard, rule, part, text, args, known),
  };
  const passed = holdBack(part, readObject(args.state, rule.heldIn), filter);
  if (ends.has(part.type)) delete readObject(args.state, rule.placesIn)[getPartKey(part)];
  return passed;
}

/** Returns the number of code units that take one turn of the event loop. */
const countSliceUnits = ({ weight = 1 }: TextGuard): number => getInlineCost(weight);

async function holdInSlices(guard: TextGuard, delta: JudgedDelta, args: StreamArgs): Promise<Chunk[]> {
  const passed: Chunk[] = [];
  for (const slice of sliceText(readDeltaText(delta), countSliceUnits(guard))) {
    passed.push(...hold(guard, withText(delta, slice), args));
    await nextTurn();
    args.abortSignal.throwIfAborted();
  }
  return passed;
}

/** Returns the judged text from `known` on; hits before it have been reported and replaced with the preceding part. */
function judgeText(guard: TextGuard, rule: StreamRule, part: Chunk, text: string, args: StreamArgs, known = 0): string {
  const own = text.slice(known);
  if (own === '') return own;
  const hits = findOwnHits(rule, text, known);
  if (hits.length > 0) {
    const report = createReport(guard, args);
    report.add(hits, text, { chunk: part.type });
    report.send();
  }
  if (!shouldReplace(guard)) return own;
  const place = readPlace(args.state, rule, part);
  if (hits.length === 0 && place.phase === 'prose') return own;
  const markHit = ({ hit }: { hit: GuardHit }) =>
    guard.mark(hit, text.slice(hit.start, hit.end), args.state, hashIdentity);
  return replaceHits(
    own,
    hits.map((hit) => clipHit(hit, known)),
    markHit,
    place,
  );
}

/**
 * Returns the hits that end after `known`: those of the joined text, and those of the own text alone, because the
 * preceding part may end in a mark.
 */
function findOwnHits({ find }: StreamRule, text: string, known: number): GuardHit[] {
  const joined = find(text);
  if (known === 0) return joined;
  const hits = joined.filter(({ end }) => end > known);
  const alone = find(text.slice(known)).map(({ token, ...hit }) => ({
    ...hit,
    ...shiftSpan(hit, known),
    ...(token && { token: shiftSpan(token, known) }),
  }));
  const isFree = (one: TextSpan) => hits.every(({ start, end }) => end <= one.start || one.end <= start);
  return [...hits, ...alone.filter(isFree)].toSorted((a, b) => a.start - b.start);
}

function refuseExceeded<T>(guard: TextGuard, args: StreamArgs, judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (error instanceof BoundExceeded) return refuseUnjudged(args, guard.response, error.bound);
    throw error;
  }
}

/** Returns the position of the part's text in JSON; tool arguments are JSON from their first character. */
function readPlace(state: JsonObject, rule: StreamRule, part: Chunk): JsonPlace {
  const places = readObject(state, rule.placesIn);
  const key = getPartKey(part);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written here alone, under this very key
  return (places[key] ??= createPlace(key.startsWith('tool'))) as JsonPlace;
}

/** Takes a delta, or the chunk that ends a part. */
function getPartKey(part: Chunk): string {
  switch (part.type) {
    case 'text-delta':
    case 'text-end':
      return `text ${part.payload.id}`;
    case 'reasoning-delta':
    case 'reasoning-end':
      return `reasoning ${part.payload.id}`;
    case 'tool-call-delta':
    case 'tool-call-input-streaming-end':
      return `tool ${part.payload.toolCallId}`;
    default:
      return '';
  }
}

/** Chunks that end all parts. A restarted step must not continue the buffer of the rejected one. */
const betweenParts: ReadonlySet<string> = new Set(['step-start', 'step-finish', 'finish', 'error']);
const ends: ReadonlySet<string> = new Set(['text-end', 'reasoning-end', 'tool-call-input-streaming-end']);

function toDelta(part: Chunk): JudgedDelta | undefined {
  return part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-call-delta'
    ? part
    : undefined;
}

function readDeltaText(delta: JudgedDelta): string {
  return delta.type === 'tool-call-delta' ? delta.payload.argsTextDelta : delta.payload.text;
}

function withText(delta: JudgedDelta, text: string): JudgedDelta {
  if (delta.type === 'tool-call-delta') return { ...delta, payload: { ...delta.payload, argsTextDelta: text } };
  if (delta.type === 'text-delta') return { ...delta, payload: { ...delta.payload, text } };
  return { ...delta, payload: { ...delta.payload, text } };
}
