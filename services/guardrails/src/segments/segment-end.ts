// Cuts a text into segments that are judged separately, so that no hit spans a cut. The end of a segment does not
// depend on text before its start, and on at most one unit after its end, so a stream has the same segments as the
// whole text. The scan of an unfinished segment resumes at its last place.
import { alignToCharacter } from '../text/span.ts';
import { createPlainView } from './plain-view.ts';
import { isPlainCode, readUnitAt } from './read-unit.ts';

/** Reasons to continue a segment after a separator. JSON, because an entry's state stores it between deltas. */
export type OpenSegment = {
  /** The segment continues at least to here, in code units from its start. */
  until: number;
  number: boolean;
  url: boolean;
  context: boolean;
  bracket: boolean;
  /** Whether the segment contains a word. */
  word: boolean;
  /** Progress in a block of several lines. */
  block: number;
  /** Number of separators since the last word. */
  gap: number;
};

/** Rules for cutting one kind of data into segments. */
export type SegmentRules = {
  /** Maximum length of a segment, which bounds the buffer, in code units. A longer segment is cut outside of hits. */
  maxSegment: number;
  /** Maximum length inside a block. */
  maxBlock?: number;
  /** Maximum length of a hit with its context, in code units; less than half of maxSegment. */
  maxMatch: number;
  /** Updates `open` after a word. @param word as detectors read it @param end code units from the segment's start */
  readWord(open: OpenSegment, word: string, end: number): void;
  /**
   * Returns whether the segment continues after this separator. @param end of the separator, code units from the
   * segment's start
   */
  continuesAfter(open: OpenSegment, separator: string, end: number): boolean;
  /** Returns whether the character after a segment's end continues the segment after all. */
  reopensBefore(open: OpenSegment, separator: string, next: string): boolean;
  /**
   * Returns the place nearest to `at` where an overlong view can be cut outside of hits and their context. More than 0.
   */
  findCutPlace(view: string, at: number): number;
};

/** Progress of reading a segment. Places are code units from its start; -1: none. JSON. */
export type SegmentScan = { at: number; wordAt: number; endAt: number; separator: string; open: OpenSegment };

export const createScan = (): SegmentScan => ({
  at: 0,
  wordAt: -1,
  endAt: -1,
  separator: '',
  open: { until: 0, number: false, url: false, context: false, bracket: false, word: false, block: 0, gap: 0 },
});

const SEPARATORS = ' \t\n\r\f\v,;"`<>|{}[]=';
const isSeparator = Array.from({ length: 128 }, (_, code) => SEPARATORS.includes(String.fromCharCode(code)));

/**
 * Returns the end of the segment that starts at `start`, or undefined if it depends on later text. @param scan changed
 */
function findSegmentEnd(
  rules: SegmentRules,
  text: string,
  start: number,
  scan: SegmentScan,
  isWhole: boolean,
): number | undefined {
  for (let at = start + scan.at; at < text.length; scan.at = at - start) {
    const code = text.charCodeAt(at);
    // The rules decide only at separators.
    if (scan.wordAt >= 0 && isPlainCode(code) && !isSeparator[code]) {
      at += 1;
      if (at - start > getMaxUnits(rules, scan)) return findForcedEnd(rules, text, start, getMaxUnits(rules, scan));
      continue;
    }
    const unit = readUnitAt(text, at, isWhole);
    if (!unit) return undefined;
    const { plain, length } = unit;
    if (scan.endAt >= 0 && plain !== '') {
      if (!rules.reopensBefore(scan.open, scan.separator, plain)) return start + scan.endAt;
      scan.endAt = -1;
    }
    if (at + length - start > getMaxUnits(rules, scan))
      return findForcedEnd(rules, text, start, getMaxUnits(rules, scan));
    if (plain.length === 1 && isSeparator[plain.charCodeAt(0)]) {
      if (scan.wordAt >= 0)
        readWord(rules, scan, createPlainView(text.slice(start + scan.wordAt, at)).text, at - start);
      scan.open.gap += 1;
      const end = at + length - start;
      if (!rules.continuesAfter(scan.open, plain, end)) scan.endAt = end;
      scan.separator = plain;
    } else if (scan.wordAt < 0 && plain !== '') scan.wordAt = at - start;
    at += length;
  }
  return undefined;
}

const getMaxUnits = ({ maxSegment, maxBlock = maxSegment }: SegmentRules, { open }: SegmentScan): number =>
  open.block > 0 ? maxBlock : maxSegment;

function readWord(rules: SegmentRules, scan: SegmentScan, word: string, end: number): void {
  scan.wordAt = -1;
  scan.open.gap = 0;
  scan.open.word = true;
  rules.readWord(scan.open, word, end);
}

/** Cuts early enough that all hits before the place are complete. */
function findForcedEnd({ maxMatch, findCutPlace }: SegmentRules, text: string, start: number, most: number): number {
  const view = createPlainView(text.slice(start, start + most));
  const place = findCutPlace(view.text, view.toViewPlace(most - maxMatch));
  const at = place < view.text.length ? view.toSourceSpan({ start: place, end: place }).start : most;
  return alignToCharacter(text, start + (at > 0 ? at : most - maxMatch));
}

/** Returns the length of all segments except the last, unfinished one. @param scan of that segment, changed */
export function findSettledLength(
  rules: SegmentRules,
  text: string,
  scan: SegmentScan,
): { length: number; scan: SegmentScan } {
  let length = 0;
  let current = scan;
  for (;;) {
    const end = findSegmentEnd(rules, text, length, current, false);
    if (end === undefined) return { length, scan: current };
    length = end;
    current = createScan();
  }
}

/** Calls `judge` for each segment of a whole text. */
export function forEachSegment(rules: SegmentRules, text: string, judge: (start: number, end: number) => void): void {
  for (let start = 0; start < text.length;) {
    const end = findSegmentEnd(rules, text, start, createScan(), true) ?? text.length;
    judge(start, end);
    start = end;
  }
}
