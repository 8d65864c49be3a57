// Finds keywords with words split by punctuation (d.r.o.p, dr-op, d r o p), with markup between their words (drop
// **table**, dropTable) or written with accents. It reports only such keywords; the token matcher finds keywords in their
// plain form.
import type { TextSpan } from '../../text/span.ts';
import {
  forgetBefore,
  getGapBehind,
  createLetterReading,
  readLetters,
  type Gap,
  type Letter,
  type LetterReading,
} from './cut-letters.ts';

type CutKeywordHit = TextSpan & { keyword: string };
export type CutMatcher = {
  find(text: string): CutKeywordHit[];
  /**
   * Returns the length of the prefix that no later text can change, in code units. @param reading of the buffered text;
   * changed
   */
  findSettledEnd(text: string, reading: LetterReading): number;
};
/** `inside`: letters of the same word. `next`: the first letter of the next word. */
type LetterNode = { inside: Map<string, LetterNode>; next: Map<string, LetterNode>; keyword?: string };

/** Minimum number of letters of a keyword. Shorter ones match too often by chance: "U.S." is not "us". */
const MIN_LETTERS = 4;
const wordsAlone = /^[\p{L}\p{N} ]+$/u;

export const isCuttable = (keyword: string): boolean =>
  wordsAlone.test(keyword) && keyword.replaceAll(' ', '').length >= MIN_LETTERS;

export function createCutMatcher(keywords: readonly string[], wholeWords: boolean): CutMatcher {
  const root = createNode();
  for (const keyword of keywords) add(root, keyword);
  return {
    find(text) {
      const reading = createLetterReading();
      readLetters(text, reading, true);
      return scanLetters(root, wholeWords, reading, true).hits;
    },
    findSettledEnd(text, reading) {
      readLetters(text, reading, false);
      const { cut } = scanLetters(root, wholeWords, reading, false);
      if (cut > 0) forgetBefore(reading, cut);
      return cut;
    },
  };
}

const createNode = (): LetterNode => ({ inside: new Map(), next: new Map() });

function add(root: LetterNode, keyword: string): void {
  const reading = createLetterReading();
  readLetters(keyword, reading, true);
  let node = root;
  for (const { text, before } of reading.letters) {
    const children = before === 'none' ? node.inside : node.next;
    const child = children.get(text) ?? createNode();
    children.set(text, child);
    node = child;
  }
  node.keyword ??= keyword;
}

function scanLetters(
  root: LetterNode,
  wholeWords: boolean,
  reading: LetterReading,
  isWhole: boolean,
): { hits: CutKeywordHit[]; cut: number } {
  const { letters, readTo } = reading;
  const hits: CutKeywordHit[] = [];
  for (let first = 0; first < letters.length;) {
    const letter = letters[first];
    if (!letter) break;
    if (wholeWords && letter.before === 'none') {
      first += 1;
      continue;
    }
    const { last, keyword, open } = matchAt(root, wholeWords, reading, first, isWhole);
    if (open && !isWhole) return { hits, cut: placeBefore(letters, first, hits) };
    if (last >= 0) hits.push({ keyword, start: letter.start, end: letters[last]?.end ?? letter.end });
    first = last >= 0 ? last + 1 : first + 1;
  }
  if (getGapBehind(reading, readTo) !== 'none' || letters.length === 0) return { hits, cut: readTo };
  return { hits, cut: placeBefore(letters, letters.length - 1, hits) };
}

/**
 * Returns the start of the letters that touch the letter at `at`, because they determine the meaning of the letters
 * before it.
 */
function placeBefore(letters: readonly Letter[], at: number, hits: readonly CutKeywordHit[]): number {
  const begun = letters.findLast(({ before }, place) => place <= at && before !== 'none');
  return Math.max(begun?.start ?? 0, hits.at(-1)?.end ?? 0);
}

/** Returns the longest keyword that starts at `first`; `open` if the known letters do not decide. */
function matchAt(root: LetterNode, wholeWords: boolean, reading: LetterReading, first: number, isWhole: boolean) {
  const { letters, readTo } = reading;
  const behind: Gap = getGapBehind(reading, readTo);
  /** undefined if the text after the letter is not known yet. */
  const getGapAfter = (at: number): Gap | undefined => {
    const next = letters[at + 1];
    if (next) return next.before;
    return isWhole ? 'break' : behind === 'none' ? undefined : behind;
  };
  const found = { last: -1, keyword: '', open: false };
  let node: LetterNode | undefined;
  let isCut = false;
  for (let at = first; ; at++) {
    const letter = letters[at];
    if (!letter) return { ...found, open: behind !== 'break' };
    const after = getGapAfter(at);
    if (after === undefined && (wholeWords || letter.before === 'space')) return { ...found, open: true };
    if (!node) node = root.next.get(letter.text);
    else {
      const { before } = letter;
      const isApart = before === 'space' && after !== 'none' && letters[at - 1]?.before !== 'none';
      const inside = before === 'none' || before === 'cut' || isApart ? node.inside.get(letter.text) : undefined;
      isCut ||= before === 'cut' || (inside !== undefined && before !== 'none');
      const isNext = before === 'cut' || before === 'space' || letter.isCapital;
      const next = inside || !isNext ? undefined : node.next.get(letter.text);
      isCut ||= next !== undefined && (letter.hasMarkup || letter.isCapital);
      node = inside ?? next;
    }
    if (!node) return found;
    isCut ||= letter.changed;
    if (node.keyword !== undefined && isCut && (!wholeWords || after !== 'none')) {
      found.last = at;
      found.keyword = node.keyword;
    }
    if (node.inside.size + node.next.size === 0) return found;
  }
}
