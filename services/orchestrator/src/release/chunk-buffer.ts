// Buffers a run's chunks: they enter with their places and leave from the front. If a sentence ends within a chunk, the
// chunk enters as two pieces with a place each, so that a released chunk is never a part of a buffered one.
import type { Chunk } from '@millrace/contracts';
import { mergePieces, toBuffered, type BufferedChunk } from './buffered-chunks.ts';
import { readEndedPart, readTextPiece, withPiece } from './text-pieces.ts';

export type HeldQueue = {
  /** Returns the buffered chunks in order. */
  list(): readonly BufferedChunk[];
  countBytes(): number;
  /** `mayCut`: a chunk that a sentence divides enters as two pieces. */
  add(chunk: Chunk, place: number, mayCut?: boolean): void;
  /** Removes and returns the chunks before the first one that must stay. */
  take(mayGo: (place: number) => boolean): BufferedChunk[];
  takeTransient(): BufferedChunk[];
  /** Discards the chunks from the place on. */
  drop(from: number): void;
  /** Merges the pieces from the place on. Returns the number of chunks at the front that are unchanged. */
  merge(from: number): number;
};

/** One part: its buffered chunks, and the text at its end that is not a whole sentence yet. */
type BufferedPart = { waiting: DecidedChunk[]; undecided: string };
/** `whole`: number of characters of its text that belong to whole sentences. */
type DecidedChunk = BufferedChunk & { text: string; whole: number };

/** @param bySentence whole sentences may be released before their step is */
export function createHeldQueue(bySentence: boolean): HeldQueue {
  let queue: DecidedChunk[] = [];
  let bytes = 0;
  const parts = new Map<string, BufferedPart>();

  const decide = (part: BufferedPart, chars: number) => {
    part.undecided = part.undecided.slice(chars);
    let left = chars;
    while (left > 0) {
      const [first] = part.waiting;
      if (!first) return;
      const more = Math.min(left, first.text.length - first.whole);
      first.whole += more;
      left -= more;
      if (first.whole === first.text.length) part.waiting.shift();
    }
  };
  const endPart = (chunk: Chunk) => {
    const ended = readEndedPart(chunk);
    const part = ended === undefined || isCutOff(chunk) ? undefined : parts.get(ended);
    if (part) decide(part, part.undecided.length);
    if (part && ended !== undefined) parts.delete(ended);
  };
  const enter: HeldQueue['add'] = (chunk, place, mayCut = false) => {
    const piece = bySentence ? readTextPiece(chunk) : undefined;
    const part = piece && getPart(parts, piece.part);
    const whole = part ? countWholeSentences(part.undecided + piece.text) : 0;
    const pieces = part && mayCut ? cutPiece(chunk, piece.text, whole - part.undecided.length) : [chunk];
    for (const [at, one] of pieces.entries()) {
      const buffered = withText(toBuffered(one, place + at));
      queue.push(buffered);
      bytes += buffered.bytes;
      if (buffered.text !== '') part?.waiting.push(buffered);
    }
    if (!part) return bySentence ? endPart(chunk) : undefined;
    part.undecided += piece.text;
    decide(part, whole);
  };
  const rebuild = (left: readonly BufferedChunk[]) => {
    queue = [];
    bytes = 0;
    parts.clear();
    for (const { chunk, place } of left) enter(chunk, place);
  };
  return {
    list: () => queue,
    countBytes: () => bytes,
    add: enter,
    take(mayGo) {
      const mayLeave = (one: DecidedChunk) => mayGo(one.place) || (bySentence && one.whole === one.text.length);
      const end = queue.findIndex((one) => !mayLeave(one));
      const taken = queue.splice(0, end < 0 ? queue.length : end);
      bytes -= taken.reduce((sum, one) => sum + one.bytes, 0);
      return taken;
    },
    takeTransient() {
      const taken = queue.filter((one) => one.isTransient);
      if (taken.length > 0) rebuild(queue.filter((one) => !one.isTransient));
      return taken;
    },
    drop(from) {
      if (queue.some(({ place }) => place >= from)) rebuild(queue.filter(({ place }) => place < from));
    },
    merge(from) {
      const at = queue.findIndex(({ place }) => place >= from);
      if (at < 0) return queue.length;
      const merged = mergePieces(queue.slice(at));
      if (at + merged.length === queue.length) return queue.length;
      rebuild([...queue.slice(0, at), ...merged]);
      return at;
    },
  };
}

/** A chunk that is not a piece of a text is decided at once. */
const withText = (one: BufferedChunk): DecidedChunk => ({
  ...one,
  text: readTextPiece(one.chunk)?.text ?? '',
  whole: 0,
});

function getPart(parts: Map<string, BufferedPart>, name: string): BufferedPart {
  const part = parts.get(name) ?? { waiting: [], undecided: '' };
  parts.set(name, part);
  return part;
}

/** @param end number of characters before the sentence that has begun last; no cut if it has begun in another piece */
const cutPiece = (chunk: Chunk, text: string, end: number): Chunk[] =>
  end > 0 && end < text.length ? [withPiece(chunk, text.slice(0, end)), withPiece(chunk, text.slice(end))] : [chunk];

/** Returns whether the part was cut off before its end: its last words are decided with its step. */
const isCutOff = (chunk: Chunk): boolean =>
  (chunk.type === 'text-end' || chunk.type === 'reasoning-end' || chunk.type === 'tool-call-input-streaming-end') &&
  chunk.payload.complete === false;

/** Maximum length of a sentence without an end before it is released, in UTF-16 code units. */
export const MAX_SENTENCE_CHARS = 1_000;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** No sentence ends without one of these: most pieces of a text do not need the segmenter. */
const MAY_END = /[\p{Sentence_Terminal}\r\n\u0085\u2028\u2029]/u;

/** Returns the number of characters at the beginning of the undecided text that are whole sentences. */
export function countWholeSentences(undecided: string): number {
  const last = MAY_END.test(undecided) ? findLastBegin(undecided) : 0;
  return undecided.length - last > MAX_SENTENCE_CHARS ? undecided.length : last;
}

function findLastBegin(text: string): number {
  let begin = 0;
  for (const { index } of segmenter.segment(text)) begin = index;
  return begin;
}
