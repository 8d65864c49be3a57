// Decodes letters that are shifted (Caesar, rot13) or mirrored (atbash). The steps between the letters of a word stay
// the same, or change their sign: long words that attacks need are found by their steps, and the text around them is
// decoded.
import { findMatches } from '../find-matches.ts';
import { copyText, type DerivedText } from './derived-text.ts';
import { createLetterTable, replaceLetters } from './letter-table.ts';

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
const longWord = /[a-z]{5,14}/gi;
/** Distance around a word, in code units. A longer attack contains another such word. */
const REACH = 400;
const LETTERS = 26;

const toLetterNumber = (unit: number): number => (unit | 32) - 97;
const wrapLetter = (number: number): number => ((number % LETTERS) + LETTERS) % LETTERS;

type Move = { sign: 1 | -1; by: number };
const moves = new Map<string, { first: number; sign: 1 | -1 }>();
for (const word of ANCHORS) {
  for (const sign of [1, -1] as const)
    moves.set(decodeSteps(word, sign), { first: toLetterNumber(word.charCodeAt(0)), sign });
}

export function decodeShifts(text: string): [code: string, derived: DerivedText][] {
  const regions = new Map<string, { move: Move; start: number; end: number }[]>();
  for (const { 0: word, index } of findMatches(text, longWord)) {
    const known = findMove(word);
    if (!known) continue;
    const first = toLetterNumber(word.charCodeAt(0));
    const by = wrapLetter(first - known.sign * known.first);
    if (known.sign === 1 && by === 0) continue;
    const key = `${known.sign} ${by}`;
    const before = regions.get(key) ?? [];
    regions.set(key, before);
    const last = before.at(-1);
    const [start, end] = [Math.max(0, index - REACH), Math.min(text.length, index + word.length + REACH)];
    if (last && start <= last.end) last.end = end;
    else before.push({ move: { sign: known.sign, by }, start, end });
  }
  return [...regions.values()].flat().map(({ move, start, end }) => {
    const moved = shiftBack(text.slice(start, end), move);
    return [move.sign === 1 ? 'shifted' : 'mirrored', copyText(moved, start)];
  });
}

/** Maximum number of cached words, because texts repeat most words. */
const MAX_WORDS = 20_000;
const movesByWord = new Map<string, { first: number; sign: 1 | -1 } | undefined>();
function findMove(word: string): { first: number; sign: 1 | -1 } | undefined {
  const before = movesByWord.get(word);
  if (before !== undefined || movesByWord.has(word)) return before;
  if (movesByWord.size >= MAX_WORDS) movesByWord.clear();
  const found = moves.get(decodeSteps(word, 1));
  movesByWord.set(word, found);
  return found;
}

const tables = new Map<string, Uint8Array>();
function shiftBack(text: string, { sign, by }: Move): string {
  const key = `${sign} ${by}`;
  const table = tables.get(key) ?? createLetterTable((letter) => wrapLetter(sign * (letter - by)));
  tables.set(key, table);
  return replaceLetters(text, table);
}

function decodeSteps(word: string, sign: 1 | -1): string {
  let steps = '';
  for (let at = 1; at < word.length; at++) {
    const step = toLetterNumber(word.charCodeAt(at)) - toLetterNumber(word.charCodeAt(at - 1));
    steps += String.fromCharCode(97 + wrapLetter(sign * step));
  }
  return steps;
}
