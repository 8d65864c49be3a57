// Buffers text that a later delta may continue: a guard cannot judge "4111 1111" before it has seen the next delta.
// `holdBack` keeps, by part id, the unsettled end of the text, for text, reasoning and tool arguments alike, and passes
// the rest through the filter; at the end of a part it flushes the buffer. So the joined deltas equal the filter of the
// whole text. If a part was cut off (its end has `complete: false`, or is missing), the buffered text remains undecided
// and is dropped.
import type { Chunk, ChunkOf, JsonObject } from '@millrace/contracts';

export type TextFilter = {
  /**
   * Returns the length of the prefix of `text` that can be judged for every continuation: 0 to text.length, UTF-16 code
   * units. For every returned n and every continuation c, apply(text + c) must equal apply(text.slice(0, n)) +
   * apply(text.slice(n) + c).
   * @param noted empty for a new part, then the notes of the last call for the part: JSON, so that buffered text is not
   * scanned again with every delta. The notes describe the text from the last n on.
   */
  countSettled(text: string, noted: JsonObject): number;
  /** Returns the text after the filter. Throws (abort) if it must not pass. */
  apply(text: string): string;
};

type PartDelta = ChunkOf<'text-delta'> | ChunkOf<'reasoning-delta'> | ChunkOf<'tool-call-delta'>;
type Held = { text: string; last: PartDelta; noted: JsonObject };

type End = ChunkOf<'text-end'> | ChunkOf<'reasoning-end'> | ChunkOf<'tool-call-input-streaming-end'>;

/** These chunks end all parts: a part without an end was cut off. The next step may reuse its id. */
const BETWEEN_PARTS = new Set<string>(['start', 'step-start', 'step-finish', 'finish', 'error']);

/** @param held part of the processor's state for the session; JSON. Chunks that are not text pass unchanged. */
export function holdBack(part: Chunk, held: JsonObject, filter: TextFilter): Chunk[] {
  if (isDelta(part)) return holdDelta(part, held, filter);
  if (isEnd(part))
    return part.payload.complete === false
      ? dropHeld(part, held)
      : [...releaseHeld(held, keyOfEnd(part), filter), part];
  if (BETWEEN_PARTS.has(part.type)) for (const key of Object.keys(held)) delete held[key];
  return [part];
}

function dropHeld(part: End, held: JsonObject): Chunk[] {
  delete held[keyOfEnd(part)];
  return [part];
}

function holdDelta(part: PartDelta, held: JsonObject, filter: TextFilter): Chunk[] {
  const key = buildKey(part);
  const before = readHeld(held, key);
  const text = before ? before.text + readText(part) : readText(part);
  const noted = before?.noted ?? {};
  const settled = filter.countSettled(text, noted);
  const rest = text.slice(settled);
  if (rest === '') delete held[key];
  else held[key] = asJson({ text: rest, last: withText(part, ''), noted });
  const passed = filter.apply(text.slice(0, settled));
  return passed === '' ? [] : [withText(part, passed)];
}

function releaseHeld(held: JsonObject, key: string, filter: TextFilter): Chunk[] {
  const kept = readHeld(held, key);
  if (!kept) return [];
  delete held[key];
  const passed = filter.apply(kept.text);
  return passed === '' ? [] : [withText(kept.last, passed)];
}

function isDelta(part: Chunk): part is PartDelta {
  return part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-call-delta';
}

function isEnd(part: Chunk): part is End {
  return part.type === 'text-end' || part.type === 'reasoning-end' || part.type === 'tool-call-input-streaming-end';
}

function readText(part: PartDelta): string {
  return part.type === 'tool-call-delta' ? part.payload.argsTextDelta : part.payload.text;
}

function withText(part: PartDelta, text: string): PartDelta {
  if (part.type === 'tool-call-delta') return { ...part, payload: { ...part.payload, argsTextDelta: text } };
  if (part.type === 'text-delta') return { ...part, payload: { ...part.payload, text } };
  return { ...part, payload: { ...part.payload, text } };
}

function buildKey(part: PartDelta): string {
  return part.type === 'tool-call-delta' ? `tool ${part.payload.toolCallId}` : `${kind(part.type)} ${part.payload.id}`;
}

function keyOfEnd(part: End): string {
  if (part.type === 'tool-call-input-streaming-end') return `tool ${part.payload.toolCallId}`;
  return `${kind(part.type)} ${part.payload.id}`;
}

const kind = (type: string): string => type.slice(0, type.indexOf('-'));

function readHeld(held: JsonObject, key: string): Held | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by holdDelta alone, under this very key
  return held[key] as Held | undefined;
}

/** A chunk is JSON already; copying it would cost more than most guards. */
function asJson(kept: Held): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Held is made of JSON alone
  return kept as unknown as JsonObject;
}
