// Text that may continue: a guard cannot judge "4111 1111" before it has seen what follows. `holdBack` keeps, by part id, the
// end of the text that is not settled yet, for text, reasoning and tool arguments alike, and lets the rest go filtered; at
// the end of a part everything is let go. So the concatenated deltas equal the filter of the whole text. Where a part was cut
// off (its end says `complete: false`, or none comes), what is held is undecided for good, and dropped.
import type { Chunk, ChunkOf, JsonObject } from '@millrace/contracts';

export type TextFilter = {
  /**
   * How far `text` can be judged whatever follows: 0 to text.length, UTF-16 code units. For every n that this returns and
   * every continuation c, apply(text + c) must equal apply(text.slice(0, n)) + apply(text.slice(n) + c).
   * @param noted empty for a new part, then what the last call for the part left in it: JSON, so that what is held is not read
   * again with every delta. It says something of the text from the last n on.
   */
  settled(text: string, noted: JsonObject): number;
  /** The text as it may pass. Throws (abort) where it may not. */
  apply(text: string): string;
};

type Delta = ChunkOf<'text-delta'> | ChunkOf<'reasoning-delta'> | ChunkOf<'tool-call-delta'>;
type Held = { text: string; last: Delta; noted: JsonObject };

type End = ChunkOf<'text-end'> | ChunkOf<'reasoning-end'> | ChunkOf<'tool-call-input-streaming-end'>;

/** After these no part goes on: one that has not ended was cut off. The next step may use its id again. */
const BETWEEN_PARTS = new Set<string>(['start', 'step-start', 'step-finish', 'finish', 'error']);

/** @param held lives in the processor's state for the session; JSON. Chunks that are not text pass as they are. */
export function holdBack(part: Chunk, held: JsonObject, filter: TextFilter): Chunk[] {
  if (isDelta(part)) return onDelta(part, held, filter);
  if (isEnd(part))
    return part.payload.complete === false ? dropped(part, held) : [...letGo(held, keyOfEnd(part), filter), part];
  if (BETWEEN_PARTS.has(part.type)) for (const key of Object.keys(held)) delete held[key];
  return [part];
}

function dropped(part: End, held: JsonObject): Chunk[] {
  delete held[keyOfEnd(part)];
  return [part];
}

function onDelta(part: Delta, held: JsonObject, filter: TextFilter): Chunk[] {
  const key = keyOf(part);
  const before = readHeld(held, key);
  const text = before ? before.text + textOf(part) : textOf(part);
  const noted = before?.noted ?? {};
  const settled = filter.settled(text, noted);
  const rest = text.slice(settled);
  if (rest === '') delete held[key];
  else held[key] = asJson({ text: rest, last: withText(part, ''), noted });
  const passed = filter.apply(text.slice(0, settled));
  return passed === '' ? [] : [withText(part, passed)];
}

function letGo(held: JsonObject, key: string, filter: TextFilter): Chunk[] {
  const kept = readHeld(held, key);
  if (!kept) return [];
  delete held[key];
  const passed = filter.apply(kept.text);
  return passed === '' ? [] : [withText(kept.last, passed)];
}

function isDelta(part: Chunk): part is Delta {
  return part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-call-delta';
}

function isEnd(part: Chunk): part is End {
  return part.type === 'text-end' || part.type === 'reasoning-end' || part.type === 'tool-call-input-streaming-end';
}

function textOf(part: Delta): string {
  return part.type === 'tool-call-delta' ? part.payload.argsTextDelta : part.payload.text;
}

function withText(part: Delta, text: string): Delta {
  if (part.type === 'tool-call-delta') return { ...part, payload: { ...part.payload, argsTextDelta: text } };
  if (part.type === 'text-delta') return { ...part, payload: { ...part.payload, text } };
  return { ...part, payload: { ...part.payload, text } };
}

function keyOf(part: Delta): string {
  return part.type === 'tool-call-delta' ? `tool ${part.payload.toolCallId}` : `${kind(part.type)} ${part.payload.id}`;
}

function keyOfEnd(part: End): string {
  if (part.type === 'tool-call-input-streaming-end') return `tool ${part.payload.toolCallId}`;
  return `${kind(part.type)} ${part.payload.id}`;
}

const kind = (type: string): string => type.slice(0, type.indexOf('-'));

function readHeld(held: JsonObject, key: string): Held | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by onDelta alone, under this very key
  return held[key] as Held | undefined;
}

/** A chunk is JSON already; copying it here would cost more than most guards do. */
function asJson(kept: Held): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Held is made of JSON alone
  return kept as unknown as JsonObject;
}
