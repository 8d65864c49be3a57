// Stretches of a text that say what the system messages say: their words in order, where now and then one is left out, put in or
// replaced. A stretch begins with two words that follow one another there, and counts when enough of its words are theirs. The
// text is read word by word; where it may be cut is a place from which the reading goes on as from the start.
import type { Span } from '../text/span.ts';
import { GAP, plainWords, type PlainWord } from './plain-words.ts';
import type { PromptIndex } from './prompt-index.ts';

/** A stretch that has begun. JSON. */
type Open = {
  start: number;
  /** Behind the last word that has a place in the system messages; the words up to there, and those of them that have one. */
  end: number;
  total: number;
  matched: number;
  /** The last word, when it has no place. */
  missed?: PlainWord;
  /** Where in the system messages the last word that has a place may stand. */
  at: number[];
  /** The first KEPT words: where they end, whether they count, and where the next word begins. */
  kept?: { end: number; counts: boolean; next: number };
};
/** How far a text is read: JSON, as it lives in an entry's state between deltas. Places are code units. */
export type Reading = { readTo: number; cut: number; previous?: PlainWord; open?: Open };
type Reader = { index: PromptIndex; minWords: number; found(span: Span): void };

/** Words of the system messages that an answer may leave out in a row. */
const MAX_LEFT_OUT = 2;
/** Words of a stretch that is still open: then the first KEPT are a stretch of their own, and the next one begins behind them. */
const MAX_WORDS = 64;
const KEPT = 48;
/** Of the words of a stretch, those that are the system messages': three of four. */
const MIN_SHARE = 0.75;

export const newReading = (): Reading => ({ readTo: 0, cut: 0 });

/** Reads on to the end of the text; tells of each stretch that has ended. @param reading changes */
export function readStretches(reader: Reader, text: string, reading: Reading, isWhole: boolean): void {
  for (let isAgain = true; isAgain;) {
    isAgain = false;
    for (const word of plainWords(text, reading.readTo, isWhole)) {
      reading.readTo = word.end;
      isAgain = reading.open ? readOn(reader, reading, word) : begin(reader, reading, word);
      if (isAgain) break;
    }
  }
  if (isWhole) close(reader, reading);
}

/** How much of `text` is decided whatever follows, code units; `reading` is then that of the rest. */
export function settledByStretches(reader: Reader, text: string, reading: Reading): number {
  readStretches(reader, text, reading, false);
  const by = reading.cut;
  if (by > 0) shift(reading, by);
  return by;
}

function begin({ index }: Reader, reading: Reading, word: PlainWord): false {
  const { previous } = reading;
  const at = previous ? index.positionsOf(previous.text, word.text) : [];
  delete reading.previous;
  if (previous && at.length > 0) {
    reading.open = { start: previous.start, end: word.end, matched: 2, total: 2, at: [...at] };
  } else if (index.isFirst(word.text)) {
    reading.previous = word;
    reading.cut = word.start;
  } else reading.cut = word.end;
  return false;
}

/** Whether words are to be read again. */
function readOn(reader: Reader, reading: Reading, word: PlainWord): boolean {
  const { open } = reading;
  if (!open) return false;
  const words = open.total + (open.missed ? 1 : 0);
  if (words === KEPT) open.kept = { end: open.end, counts: counts(open, reader.minWords), next: word.start };
  const at = following(reader.index, open.at, word.text);
  if (at.length > 0) {
    open.at = at;
    open.end = word.end;
    open.matched += 1;
    open.total = words + 1;
    delete open.missed;
    return open.total >= MAX_WORDS && open.kept !== undefined && keepFirst(reader, reading, open.start, open.kept);
  }
  const { missed } = open;
  if (!missed && word.text !== GAP) {
    open.missed = word;
    return false;
  }
  close(reader, reading);
  if (missed) begin(reader, reading, missed);
  return begin(reader, reading, word);
}

/** Where the word may stand when the one before it stands at `at`. */
function following({ words }: PromptIndex, at: readonly number[], word: string): number[] {
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

function close({ minWords, found }: Reader, reading: Reading): void {
  const { open } = reading;
  delete reading.open;
  if (open && counts(open, minWords)) found({ start: open.start, end: open.end });
}

/** The words behind the first KEPT are read again, as the start of the next stretch. */
function keepFirst({ found }: Reader, reading: Reading, start: number, kept: NonNullable<Open['kept']>): true {
  if (kept.counts) found({ start, end: kept.end });
  delete reading.open;
  reading.cut = kept.next;
  reading.readTo = kept.next;
  return true;
}

const counts = ({ matched, total }: Open, minWords: number): boolean =>
  matched >= minWords && matched >= total * MIN_SHARE;

function shift(reading: Reading, by: number): void {
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

function move(span: Span, by: number): void {
  span.start -= by;
  span.end -= by;
}
