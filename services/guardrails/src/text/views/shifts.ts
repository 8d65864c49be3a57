// Decodes letters that are shifted (Caesar, rot13) or mirrored (atbash). The steps between the letters of a word stay
// the same, or change their sign: long words that attacks need are found by their steps, and the text around them is
// decoded.
import type { TextSpan } from '../span.ts';
import type { AsciiWords } from './ascii-words.ts';
import { copyText, type DerivedText } from './derived-text.ts';
import { createLetterTable, replaceLetters } from './letter-table.ts';
import type { ScannedText } from './scanned-text.ts';

/** Long words only, because short words share the steps of others. */
const ANCHORS = [
  'previous',
  'instructions',
  'instruction',
  'disregard',
  'directives',
  'guidelines',
  'restrictions',
  'reveal',
  'prompt',
  'system',
  'everything',
  'ignore',
  'forget',
  'password',
  'unrestricted',
  'developer',
  'access',
  'granted',
  'repeat',
  'initial',
  'assistant',
  'response',
  'pretend',
  'override',
  'which',
  'about',
  'would',
  'could',
  'should',
  'there',
  'their',
  'write',
  'answer',
  'rules',
  'every',
  'please',
  'without',
  'above',
  'before',
  'after',
  'never',
  'always',
  'anything',
  'message',
  'conversation',
  'secret',
  'print',
  'output',
  'start',
  'other',
  'first',
  'words',
  'information',
  'question',
  'request',
  'model',
  'character',
  'story',
  'follow',
  'everyone',
  'nothing',
  'through',
  'these',
  'those',
  'where',
  'while',
  'being',
  'policy',
  'safety',
  'limits',
  'filters',
  'confirm',
  'administrator',
  'verified',
  'hidden',
  'original',
  'content',
  'language',
  'format',
  'translate',
  'anweisungen',
  'instrucciones',
  'instrucoes',
  'istruzioni',
  'consignes',
];
/** Lengths of the compared pieces of words. */
const [SHORTEST, LONGEST] = [5, 14];
/** Distance around a word, in code units. A longer attack contains another such word. */
const REACH = 400;
const LETTERS = 26;

const toLetterNumber = (unit: number): number => (unit | 32) - 97;
const wrapLetter = (number: number): number => ((number % LETTERS) + LETTERS) % LETTERS;
/** Returns the step from a letter to the next one, 0 to 25. */
const readStep = (from: number, to: number): number => {
  const step = (to | 32) - (from | 32);
  return step < 0 ? step + LETTERS : step;
};

type Move = { sign: 1 | -1; by: number };
type Anchor = { first: number; sign: 1 | -1 };

/** Trie of the steps of the words: a row of children for each node, and the word that ends there. */
const children = new Int32Array(LETTERS * (1 + 2 * ANCHORS.join('').length));
const anchors: (Anchor | undefined)[] = [undefined];
for (const word of ANCHORS) for (const sign of [1, -1] as const) addAnchor(word, sign);

function addAnchor(word: string, sign: 1 | -1): void {
  let node = 0;
  for (let at = 1; at < word.length; at++) {
    const place = node * LETTERS + wrapLetter(sign * readStep(word.charCodeAt(at - 1), word.charCodeAt(at)));
    if (children[place] === 0) children[place] = anchors.push(undefined) - 1;
    node = children[place] ?? 0;
  }
  anchors[node] = { first: toLetterNumber(word.charCodeAt(0)), sign };
}

/** Finds the word that has the same steps as the letters of the text between `start` and `end`. */
function findAnchor(units: Uint16Array, start: number, end: number): Anchor | undefined {
  let node = 0;
  let before = units[start] ?? 0;
  for (let at = start + 1; at < end; at++) {
    const unit = units[at] ?? 0;
    node = children[node * LETTERS + readStep(before, unit)] ?? 0;
    if (node === 0) return undefined;
    before = unit;
  }
  return anchors[node];
}

export function decodeShifts({ text, units, words }: ScannedText): [code: string, derived: DerivedText][] {
  const regions = new Map<string, { move: Move; start: number; end: number }[]>();
  for (const { start: at, end: to, anchor } of findAnchors(units, words)) {
    const first = toLetterNumber(text.charCodeAt(at));
    const by = wrapLetter(first - anchor.sign * anchor.first);
    if (anchor.sign === 1 && by === 0) continue;
    const key = `${anchor.sign} ${by}`;
    const before = regions.get(key) ?? [];
    regions.set(key, before);
    const last = before.at(-1);
    const [start, end] = [Math.max(0, at - REACH), Math.min(text.length, to + REACH)];
    if (last && start <= last.end) last.end = end;
    else before.push({ move: { sign: anchor.sign, by }, start, end });
  }
  return [...regions.values()].flat().map(({ move, start, end }) => {
    const moved = shiftBack(text.slice(start, end), move);
    return [move.sign === 1 ? 'shifted' : 'mirrored', copyText(moved, start)];
  });
}

/** Compares a long word in pieces of the greatest length. */
function findAnchors(units: Uint16Array, { count, starts, ends }: AsciiWords): (TextSpan & { anchor: Anchor })[] {
  const found: (TextSpan & { anchor: Anchor })[] = [];
  for (let at = 0; at < count; at++) {
    const to = ends[at] ?? 0;
    for (let start = starts[at] ?? 0; to - start >= SHORTEST; start += LONGEST) {
      const end = Math.min(to, start + LONGEST);
      const anchor = findAnchor(units, start, end);
      if (anchor) found.push({ start, end, anchor });
    }
  }
  return found;
}

const tables = new Map<string, Uint8Array>();
function shiftBack(text: string, { sign, by }: Move): string {
  const key = `${sign} ${by}`;
  const table = tables.get(key) ?? createLetterTable((letter) => wrapLetter(sign * (letter - by)));
  tables.set(key, table);
  return replaceLetters(text, table);
}
