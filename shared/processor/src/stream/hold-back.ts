// Buffers text that a later delta may continue: a guard cannot judge "4111 1111" before it has seen the next delta.
// `holdBack` keeps, by part id, the unsettled end of the text, for text, reasoning and tool arguments alike, and passes
// the rest through the filter; at the end of a part it flushes the buffer. So the joined deltas equal the filter of the
// whole text. If a part was cut off (its end has `complete: false`, or is missing), the buffered text remains undecided
// and is dropped.
// Readers join the texts of a run: its parts, and its steps around tool calls. A filter with `applyAfter` therefore
// judges a text or a reasoning together with the unsettled end of the preceding one, which has passed already.
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
  /**
   * Returns the end of `text` from `known` on after the filter, judged together with the beginning, which has passed as
   * the end of the preceding part. Throws (abort) if it must not pass. If absent, each part is judged alone.
   */
  applyAfter?(text: string, known: number): string;
};

type PartDelta = ChunkOf<'text-delta'> | ChunkOf<'reasoning-delta'> | ChunkOf<'tool-call-delta'>;
/** `known`: length of the text's beginning that has passed with the preceding part; absent in states of older versions. */
type HeldPart = { text: string; known?: number; last: PartDelta; noted: JsonObject };
/**
 * The unsettled end of the last text and of the last reasoning, now and before the step. A repeated step has the message
 * id of the rejected one and continues from `before`.
 */
type Preceding = { step: string; before: UnsettledEnds; now: UnsettledEnds };
type UnsettledEnds = { text?: string; reasoning?: string };

type PartEndChunk = ChunkOf<'text-end'> | ChunkOf<'reasoning-end'> | ChunkOf<'tool-call-input-streaming-end'>;

/** These chunks end all parts: a part without an end was cut off. The next step may reuse its id. */
const BETWEEN_PARTS = new Set<string>(['start', 'step-start', 'step-finish', 'finish', 'error']);
const BETWEEN_STEPS = new Set<string>(['step-start', 'step-finish']);
/** Member of the state. The keys of parts contain a space. */
const PRECEDING = 'preceding';

/** @param held part of the processor's state for the session; JSON. Chunks that are not text pass unchanged. */
export function holdBack(part: Chunk, held: JsonObject, filter: TextFilter): Chunk[] {
  if (isDelta(part)) return holdDelta(part, held, filter);
  if (isEnd(part))
    return part.payload.complete === false ? dropHeld(part, held) : [...releaseHeld(part, held, filter), part];
  if (BETWEEN_PARTS.has(part.type)) endParts(part, held, filter);
  return [part];
}

function endParts(part: Chunk, held: JsonObject, filter: TextFilter): void {
  for (const key of Object.keys(held)) if (key !== PRECEDING || !BETWEEN_STEPS.has(part.type)) delete held[key];
  if (part.type === 'step-start' && filter.applyAfter) startStep(held, part.payload['messageId']);
}

function startStep(held: JsonObject, messageId: unknown): void {
  const preceding = readPreceding(held);
  const step = typeof messageId === 'string' ? messageId : '';
  const isRepeated = step !== '' && step === preceding.step;
  const before = isRepeated ? preceding.before : preceding.now;
  held[PRECEDING] = asJson({ step, before, now: before });
}

function dropHeld(part: PartEndChunk, held: JsonObject): Chunk[] {
  delete held[buildEndKey(part)];
  return [part];
}

function holdDelta(part: PartDelta, held: JsonObject, filter: TextFilter): Chunk[] {
  const key = buildKey(part);
  const before = readHeld(held, key) ?? startPart(part, held, filter);
  const text = before.text + readText(part);
  const { noted, known: knownBefore = 0 } = before;
  const settled = filter.countSettled(text, noted);
  const rest = text.slice(settled);
  const known = Math.max(0, knownBefore - settled);
  // An empty buffer is kept too: at the part's end it is the unsettled end.
  held[key] = asJson({ text: rest, known, last: withText(part, ''), noted });
  const passed = applyFilter(filter, text.slice(0, settled), Math.min(knownBefore, settled));
  return passed === '' ? [] : [withText(part, passed)];
}

/** Starts with the unsettled end of the preceding part of its kind, if the filter can judge both together. */
function startPart(part: PartDelta, held: JsonObject, filter: TextFilter): HeldPart {
  const { now } = readPreceding(held);
  const text = (filter.applyAfter && part.type !== 'tool-call-delta' && now[readKind(part.type)]) || '';
  return { text, known: text.length, last: part, noted: {} };
}

const applyFilter = (filter: TextFilter, text: string, known: number): string =>
  known > 0 && filter.applyAfter ? filter.applyAfter(text, known) : filter.apply(text);

function releaseHeld(part: PartEndChunk, held: JsonObject, filter: TextFilter): Chunk[] {
  const key = buildEndKey(part);
  const kept = readHeld(held, key);
  if (!kept) return [];
  delete held[key];
  if (filter.applyAfter && part.type !== 'tool-call-input-streaming-end') {
    const { now, ...preceding } = readPreceding(held);
    held[PRECEDING] = asJson({ ...preceding, now: { ...now, [readKind(part.type)]: kept.text } });
  }
  const { text, known = 0 } = kept;
  const passed = known < text.length ? applyFilter(filter, text, known) : '';
  return passed === '' ? [] : [withText(kept.last, passed)];
}

function isDelta(part: Chunk): part is PartDelta {
  return part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-call-delta';
}

function isEnd(part: Chunk): part is PartEndChunk {
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
  return part.type === 'tool-call-delta'
    ? `tool ${part.payload.toolCallId}`
    : `${readKind(part.type)} ${part.payload.id}`;
}

function buildEndKey(part: PartEndChunk): string {
  if (part.type === 'tool-call-input-streaming-end') return `tool ${part.payload.toolCallId}`;
  return `${readKind(part.type)} ${part.payload.id}`;
}

type Kind = keyof UnsettledEnds;
const readKind = (type: Exclude<(PartDelta | PartEndChunk)['type'], `tool-${string}`>): Kind =>
  type === 'text-delta' || type === 'text-end' ? 'text' : 'reasoning';

function readPreceding(held: JsonObject): Preceding {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above alone, under this very key
  return (held[PRECEDING] as Preceding | undefined) ?? { step: '', before: {}, now: {} };
}

function readHeld(held: JsonObject, key: string): HeldPart | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by holdDelta alone, under this very key
  return held[key] as HeldPart | undefined;
}

/** A chunk is JSON already; copying it would cost more than most guards. */
function asJson(kept: HeldPart | Preceding): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both are made of JSON alone
  return kept as unknown as JsonObject;
}
