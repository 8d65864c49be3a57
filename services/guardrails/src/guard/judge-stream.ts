// The output stream through a text guard: deltas held back at their edges, every other field with text judged whole. A delta of a
// few thousand characters takes its turn of the event loop; a longer one is cut, which changes nothing in what passes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Chunk, ChunkOf, JsonObject } from '@millrace/contracts';
import { bareDelta, holdBack, mapChunkValues, type ProcessOutputStreamArgs } from '@millrace/processor';
import { beginning, type JsonPlace } from '../text/json-place.ts';
import { replaceHits } from '../text/replace-hits.ts';
import { slicesOf } from '../text/span.ts';
import { inlineCostOf } from '../work/task.ts';
import { BoundExceeded } from './bounds.ts';
import { objectIn } from './entry-state.ts';
import type { Visit } from './map-texts.ts';
import { identityOf } from './identity.ts';
import { createReport, refuseUnjudged } from './report.ts';
import { collectTexts, judgeTexts, replaces, type StreamRule, type TextGuard } from './text-guard.ts';

type Delta = ChunkOf<'text-delta'> | ChunkOf<'reasoning-delta'> | ChunkOf<'tool-call-delta'>;
type Args = ProcessOutputStreamArgs;

/** Throws (abort, halt) with strategy block, and where a text cannot be judged. */
export function judgeStream(guard: TextGuard, args: Args): Chunk[] | Promise<Chunk[]> {
  const { part, state } = args;
  if (betweenParts.has(part.type)) for (const rule of guard.rules) forget(state, rule);
  const delta = deltaOf(part);
  if (delta) {
    const bare = bareDelta(delta);
    return textOf(bare).length > sliceOf(guard) ? holdInSlices(guard, bare, args) : hold(guard, bare, args);
  }
  const visit: Visit<Chunk> = (mapAt) =>
    mapChunkValues(part, (value) => guard.mapValue(value, mapAt({ chunk: part.type })));
  const texts = collectTexts(guard, args, visit);
  return texts.length > 0 ? judgeAtOnce(guard, args, visit, texts) : hold(guard, part, args);
}

async function judgeAtOnce(guard: TextGuard, args: Args, visit: Visit<Chunk>, texts: string[]): Promise<Chunk[]> {
  // A chunk that ends a part lets go of what is held of it, whatever it carries itself.
  return hold(guard, await judgeTexts(guard, args, visit, texts), args);
}

/** One rule after the other, as on a whole text: what the first has let through is what the second holds back from. */
function hold(guard: TextGuard, part: Chunk, args: Args): Chunk[] {
  return refusing(guard, args, () => {
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

function holdBy(guard: TextGuard, rule: StreamRule, part: Chunk, args: Args): Chunk[] {
  const { settled } = rule;
  const filter = { settled, apply: (text: string) => judgeText(guard, rule, part, text, args) };
  const passed = holdBack(part, objectIn(args.state, rule.heldIn), filter);
  if (ends.has(part.type)) delete objectIn(args.state, rule.placesIn)[partOf(part)];
  return passed;
}

/** What takes one turn of the event loop, code units. */
const sliceOf = ({ weight = 1 }: TextGuard): number => inlineCostOf(weight);

async function holdInSlices(guard: TextGuard, delta: Delta, args: Args): Promise<Chunk[]> {
  const passed: Chunk[] = [];
  for (const slice of slicesOf(textOf(delta), sliceOf(guard))) {
    passed.push(...hold(guard, withText(delta, slice), args));
    await nextTurn();
    args.abortSignal.throwIfAborted();
  }
  return passed;
}

function judgeText(guard: TextGuard, rule: StreamRule, part: Chunk, text: string, args: Args): string {
  if (text === '') return text;
  const hits = rule.find(text);
  if (hits.length > 0) {
    const report = createReport(guard, args);
    report.add(hits, text, { chunk: part.type });
    report.send();
  }
  if (!replaces(guard)) return text;
  const place = placeOf(args.state, rule, part);
  if (hits.length === 0 && place.phase === 'prose') return text;
  return replaceHits(
    text,
    hits,
    (hit) => guard.mark(hit, text.slice(hit.start, hit.end), args.state, identityOf),
    place,
  );
}

function refusing<T>(guard: TextGuard, args: Args, judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (error instanceof BoundExceeded) return refuseUnjudged(args, guard.response, error.bound);
    throw error;
  }
}

/** Where the part's text stands as JSON; tool arguments are JSON from their first character. */
function placeOf(state: JsonObject, rule: StreamRule, part: Chunk): JsonPlace {
  const places = objectIn(state, rule.placesIn);
  const key = partOf(part);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written here alone, under this very key
  return (places[key] ??= beginning(key.startsWith('tool'))) as JsonPlace;
}

function forget(state: JsonObject, { heldIn, placesIn }: StreamRule): void {
  delete state[heldIn];
  delete state[placesIn];
}

/** Of a delta or the chunk that ends a part. */
function partOf(part: Chunk): string {
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

/** After these no part goes on; a step that starts over must not find the end of what was rejected. */
const betweenParts: ReadonlySet<string> = new Set(['step-start', 'step-finish', 'finish', 'error']);
const ends: ReadonlySet<string> = new Set(['text-end', 'reasoning-end', 'tool-call-input-streaming-end']);

function deltaOf(part: Chunk): Delta | undefined {
  return part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-call-delta'
    ? part
    : undefined;
}

function textOf(delta: Delta): string {
  return delta.type === 'tool-call-delta' ? delta.payload.argsTextDelta : delta.payload.text;
}

function withText(delta: Delta, text: string): Delta {
  if (delta.type === 'tool-call-delta') return { ...delta, payload: { ...delta.payload, argsTextDelta: text } };
  if (delta.type === 'text-delta') return { ...delta, payload: { ...delta.payload, text } };
  return { ...delta, payload: { ...delta.payload, text } };
}
