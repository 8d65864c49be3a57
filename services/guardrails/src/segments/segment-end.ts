// Where a text can be cut so that nothing that is looked for stands on both sides: the stream's hold-back. A text *is* its
// segments, each judged alone, and where one ends depends on nothing before its start and on no more than one unit behind its
// end. So a text that comes in pieces is judged exactly as it is judged whole. What is read once is not read again: the scan of
// a segment that has not ended goes on where it stopped.
import { wholeCharacter } from '../text/span.ts';
import { plainView } from './plain-view.ts';
import { isPlainCode, unitAt } from './unit-at.ts';

/** Why a segment goes on after a separator. JSON, as it lives in an entry's state between deltas. */
export type Open = {
  /** Up to here whatever follows, code units from the segment's start. */
  until: number;
  number: boolean;
  url: boolean;
  context: boolean;
  bracket: boolean;
  /** Whether a word has been read. */
  word: boolean;
  /** A block of several lines: how far in it. */
  block: number;
  /** Separators since the last word. */
  gap: number;
};

/** How one kind of data is cut into segments. */
export type SegmentRules = {
  /** The most that is ever held back, code units: an overlong segment is cut where no hit stands. */
  maxSegment: number;
  /** The same inside a block. */
  maxBlock?: number;
  /** No hit with its context is longer, code units; less than the half of maxSegment. */
  maxMatch: number;
  /** After a word: what it opens. @param word as detectors read it @param end code units from the segment's start */
  readWord(open: Open, word: string, end: number): void;
  /** Whether the segment goes on after this separator. @param end behind it, code units from the segment's start */
  goesOn(open: Open, separator: string, end: number): boolean;
  /** Whether the character behind a segment's end takes the end back. */
  takesBack(open: Open, separator: string, next: string): boolean;
  /** The place nearest to `at` where an overlong view can be cut without parting a hit or its context. More than 0. */
  cutPlace(view: string, at: number): number;
};

/** How far a segment is read: places are code units from its start; -1: none. JSON. */
export type Scan = { at: number; wordAt: number; endAt: number; separator: string; open: Open };

export const newScan = (): Scan => ({
  at: 0,
  wordAt: -1,
  endAt: -1,
  separator: '',
  open: { until: 0, number: false, url: false, context: false, bracket: false, word: false, block: 0, gap: 0 },
});

const SEPARATORS = ' \t\n\r\f\v,;"`<>|{}[]=';
const isSeparator = Array.from({ length: 128 }, (_, code) => SEPARATORS.includes(String.fromCharCode(code)));

/** Where the segment ends that begins at `start`; undefined while that depends on what follows. @param scan goes on */
function segmentEnd(
  rules: SegmentRules,
  text: string,
  start: number,
  scan: Scan,
  isWhole: boolean,
): number | undefined {
  for (let at = start + scan.at; at < text.length; scan.at = at - start) {
    const code = text.charCodeAt(at);
    // Inside a word nothing is decided.
    if (scan.wordAt >= 0 && isPlainCode(code) && !isSeparator[code]) {
      at += 1;
      if (at - start > mostOf(rules, scan)) return forcedEnd(rules, text, start, mostOf(rules, scan));
      continue;
    }
    const unit = unitAt(text, at, isWhole);
    if (!unit) return undefined;
    const { plain, length } = unit;
    if (scan.endAt >= 0 && plain !== '') {
      if (!rules.takesBack(scan.open, scan.separator, plain)) return start + scan.endAt;
      scan.endAt = -1;
    }
    if (at + length - start > mostOf(rules, scan)) return forcedEnd(rules, text, start, mostOf(rules, scan));
    if (plain.length === 1 && isSeparator[plain.charCodeAt(0)]) {
      if (scan.wordAt >= 0) readWord(rules, scan, plainView(text.slice(start + scan.wordAt, at)).text, at - start);
      scan.open.gap += 1;
      const end = at + length - start;
      if (!rules.goesOn(scan.open, plain, end)) scan.endAt = end;
      scan.separator = plain;
    } else if (scan.wordAt < 0 && plain !== '') scan.wordAt = at - start;
    at += length;
  }
  return undefined;
}

const mostOf = ({ maxSegment, maxBlock = maxSegment }: SegmentRules, { open }: Scan): number =>
  open.block > 0 ? maxBlock : maxSegment;

function readWord(rules: SegmentRules, scan: Scan, word: string, end: number): void {
  scan.wordAt = -1;
  scan.open.gap = 0;
  scan.open.word = true;
  rules.readWord(scan.open, word, end);
}

/** So early that every hit before that place has been seen whole. */
function forcedEnd({ maxMatch, cutPlace }: SegmentRules, text: string, start: number, most: number): number {
  const view = plainView(text.slice(start, start + most));
  const place = cutPlace(view.text, view.placeOf(most - maxMatch));
  const at = place < view.text.length ? view.spanOf({ start: place, end: place }).start : most;
  return wholeCharacter(text, start + (at > 0 ? at : most - maxMatch));
}

/** How much of `text` can be judged whatever follows: all but its last segment. @param scan of that, read on */
export function settledLength(rules: SegmentRules, text: string, scan: Scan): { length: number; scan: Scan } {
  let length = 0;
  let current = scan;
  for (;;) {
    const end = segmentEnd(rules, text, length, current, false);
    if (end === undefined) return { length, scan: current };
    length = end;
    current = newScan();
  }
}

/** Calls for each segment of a whole text. */
export function eachSegment(rules: SegmentRules, text: string, judge: (start: number, end: number) => void): void {
  for (let start = 0; start < text.length;) {
    const end = segmentEnd(rules, text, start, newScan(), true) ?? text.length;
    judge(start, end);
    start = end;
  }
}
