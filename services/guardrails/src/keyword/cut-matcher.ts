// Finds keywords whose words are cut by punctuation (d.r.o.p, dr-op, d r o p) or written with accents. Only what differs in that is
// a hit here: keywords as they are written are the matcher's of whole tokens.
import type { Span } from '../text/span.ts';
import {
  forgetBefore,
  gapBehind,
  newLetterReading,
  readLetters,
  type Gap,
  type Letter,
  type LetterReading,
} from './cut-letters.ts';

type Hit = Span & { keyword: string };
export type CutMatcher = {
  find(text: string): Hit[];
  /** How much of `text` is decided whatever follows, code units. @param reading of the held text; changes */
  settled(text: string, reading: LetterReading): number;
};
/** `inside`: letters of the same word, `next`: the first letter of the next one. */
type Node = { inside: Map<string, Node>; next: Map<string, Node>; keyword?: string };

/** Shorter ones are found in too much by chance: "U.S." is not "us". Letters. */
const MIN_LETTERS = 4;
const wordsAlone = /^[\p{L}\p{N} ]+$/u;

export const isCuttable = (keyword: string): boolean =>
  wordsAlone.test(keyword) && keyword.replaceAll(' ', '').length >= MIN_LETTERS;

export function createCutMatcher(keywords: readonly string[], wholeWords: boolean): CutMatcher {
  const root = newNode();
  for (const keyword of keywords) add(root, keyword);
  return {
    find(text) {
      const reading = newLetterReading();
      readLetters(text, reading, true);
      return scan(root, wholeWords, reading, true).hits;
    },
    settled(text, reading) {
      readLetters(text, reading, false);
      const { cut } = scan(root, wholeWords, reading, false);
      if (cut > 0) forgetBefore(reading, cut);
      return cut;
    },
  };
}

const newNode = (): Node => ({ inside: new Map(), next: new Map() });

function add(root: Node, keyword: string): void {
  const reading = newLetterReading();
  readLetters(keyword, reading, true);
  let node = root;
  for (const { text, before } of reading.letters) {
    const children = before === 'none' ? node.inside : node.next;
    const child = children.get(text) ?? newNode();
    children.set(text, child);
    node = child;
  }
  node.keyword ??= keyword;
}

function scan(root: Node, wholeWords: boolean, reading: LetterReading, isWhole: boolean): { hits: Hit[]; cut: number } {
  const { letters, readTo } = reading;
  const hits: Hit[] = [];
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
  if (gapBehind(reading, readTo) !== 'none' || letters.length === 0) return { hits, cut: readTo };
  return { hits, cut: placeBefore(letters, letters.length - 1, hits) };
}

/** What touches the letter stays with it: that it does decides what the letters before it are. */
function placeBefore(letters: readonly Letter[], at: number, hits: readonly Hit[]): number {
  const begun = letters.findLast(({ before }, place) => place <= at && before !== 'none');
  return Math.max(begun?.start ?? 0, hits.at(-1)?.end ?? 0);
}

/** The longest keyword from `first` on; `open` when the letters that are known do not decide it. */
function matchAt(root: Node, wholeWords: boolean, reading: LetterReading, first: number, isWhole: boolean) {
  const { letters, readTo } = reading;
  const behind: Gap = gapBehind(reading, readTo);
  /** undefined: not known yet. */
  const gapAfter = (at: number): Gap | undefined => {
    const next = letters[at + 1];
    if (next) return next.before;
    return isWhole ? 'break' : behind === 'none' ? undefined : behind;
  };
  const found = { last: -1, keyword: '', open: false };
  let node: Node | undefined;
  let isCut = false;
  for (let at = first; ; at++) {
    const letter = letters[at];
    if (!letter) return { ...found, open: behind !== 'break' };
    const after = gapAfter(at);
    if (after === undefined && (wholeWords || letter.before === 'space')) return { ...found, open: true };
    if (!node) node = root.next.get(letter.text);
    else {
      const { before } = letter;
      const isApart = before === 'space' && after !== 'none' && letters[at - 1]?.before !== 'none';
      const inside = before === 'none' || before === 'cut' || isApart ? node.inside.get(letter.text) : undefined;
      isCut ||= before === 'cut' || (inside !== undefined && before !== 'none');
      node = inside ?? (before === 'cut' || before === 'space' ? node.next.get(letter.text) : undefined);
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
