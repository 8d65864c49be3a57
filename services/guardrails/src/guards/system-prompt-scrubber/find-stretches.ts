// Finds stretches that repeat words of the system messages in order, with single words omitted, inserted or replaced. A
// stretch starts with two consecutive words of them and counts if enough of its words match. The reader processes the
// text word by word; at a cut place it can resume as from the start.
import type { TextSpan } from '../../text/span.ts';
import { GAP, splitPlainWords, type PlainWord } from './plain-words.ts';
import type { PromptIndex } from './prompt-index.ts';

/** An unfinished stretch. JSON. */
type OpenStretch = {
  start: number;
  /** `end`: end of the last matched word. `total`: words up to there. `matched`: those of them that match. */
  end: number;
  total: number;
  matched: number;
  /** The last word, if it does not match. */
  missed?: PlainWord;
  /** Possible positions of the last matched word in the system messages. */
  at: number[];
  /** The first KEPT words: their end, whether they count, and the start of the next word. */
  kept?: { end: number; counts: boolean; next: number };
};
/** Progress of reading a text. JSON, because an entry's state stores it between deltas. Places are code units. */
export type StretchReading = { readTo: number; cut: number; previous?: PlainWord; open?: OpenStretch };
type StretchReader = { index: PromptIndex; minWords: number; report(span: TextSpan): void };

/** Maximum number of consecutive words of the system messages that an answer may omit. */
const MAX_LEFT_OUT = 2;
/**
 * Maximum number of words in an open stretch. Above it the first KEPT words form a stretch, and the next one starts
 * after them.
 */
const MAX_WORDS = 64;
const KEPT = 48;
/** Minimum share of matched words in a stretch: three of four. */
const MIN_SHARE = 0.75;

export const createReading = (): StretchReading => ({ readTo: 0, cut: 0 });

/** Reads to the end of the text and reports each finished stretch. @param reading changed */
export function readStretches(reader: StretchReader, text: string, reading: StretchReading, isWhole: boolean): void {
  for (let isAgain = true; isAgain;) {
    isAgain = false;
    for (const word of splitPlainWords(text, reading.readTo, isWhole)) {
      reading.readTo = word.end;
      isAgain = reading.open ? extendStretch(reader, reading, word) : startStretch(reader, reading, word);
      if (isAgain) break;
    }
  }
  if (isWhole) closeStretch(reader, reading);
}

/** Returns the length of the prefix that no later text can change, in code units; `reading` then describes the rest. */
export function findSettledStretchEnd(reader: StretchReader, text: string, reading: StretchReading): number {
  readStretches(reader, text, reading, false);
  const by = reading.cut;
  if (by > 0) shift(reading, by);
  return by;
}

function startStretch({ index }: StretchReader, reading: StretchReading, word: PlainWord): false {
  const { previous } = reading;
  const at = previous ? index.findPositions(previous.text, word.text) : [];
  delete reading.previous;
  if (previous && at.length > 0) {
    reading.open = { start: previous.start, end: word.end, matched: 2, total: 2, at: [...at] };
  } else if (index.isFirst(word.text)) {
    reading.previous = word;
    reading.cut = word.start;
  } else reading.cut = word.end;
  return false;
}

/** Returns whether words must be read again. */
function extendStretch(reader: StretchReader, reading: StretchReading, word: PlainWord): boolean {
  const { open } = reading;
  if (!open) return false;
  const words = open.total + (open.missed ? 1 : 0);
  if (words === KEPT) open.kept = { end: open.end, counts: isLongEnough(open, reader.minWords), next: word.start };
  const at = findNextPositions(reader.index, open.at, word.text);
  if (at.length > 0) {
    open.at = at;
    open.end = word.end;
    open.matched += 1;
    open.total = words + 1;
    delete open.missed;
    return open.total >= MAX_WORDS && open.kept !== undefined && reportKept(reader, reading, open.start, open.kept);
  }
  const { missed } = open;
  if (!missed && word.text !== GAP) {
    open.missed = word;
    return false;
  }
  closeStretch(reader, reading);
  if (missed) startStretch(reader, reading, missed);
  return startStretch(reader, reading, word);
}

/** Returns the possible positions of the word after a word at `at`. */
function findNextPositions({ words }: PromptIndex, at: readonly number[], word: string): number[] {
  const next = new Set<number>();
  for (const place of at) {
    for (let step = 1; step <= MAX_LEFT_OUT + 1; step++) {
      if (words[place + step] === GAP) break;
      if (words[place + step] === word) {
        next.add(place + step);
        break;
      }
    }
  }
  return [...next];
}

function closeStretch({ minWords, report }: StretchReader, reading: StretchReading): void {
  const { open } = reading;
  delete reading.open;
  if (open && isLongEnough(open, minWords)) report({ start: open.start, end: open.end });
}

/** Reads the words after the first KEPT again, as the start of the next stretch. */
function reportKept(
  { report }: StretchReader,
  reading: StretchReading,
  start: number,
  kept: NonNullable<OpenStretch['kept']>,
): true {
  if (kept.counts) report({ start, end: kept.end });
  delete reading.open;
  reading.cut = kept.next;
  reading.readTo = kept.next;
  return true;
}

const isLongEnough = ({ matched, total }: OpenStretch, minWords: number): boolean =>
  matched >= minWords && matched >= total * MIN_SHARE;

function shift(reading: StretchReading, by: number): void {
  const { previous, open } = reading;
  reading.readTo -= by;
  reading.cut = 0;
  if (previous) move(previous, by);
  if (!open) return;
  move(open, by);
  if (open.missed) move(open.missed, by);
  if (open.kept) {
    open.kept.end -= by;
    open.kept.next -= by;
  }
}

function move(span: TextSpan, by: number): void {
  span.start -= by;
  span.end -= by;
}
