// Letters that are moved along the alphabet (Caesar, rot13) or mirrored in it (atbash). The steps between the letters of a word stay as they are,
// or change their sign: long words that attempts cannot do without are found by them, and the text around one is moved back.
import { matchesOf } from '../matches-of.ts';
import { inStep, type DerivedText } from './derived-text.ts';
import { letterTable, withLetters } from './letter-table.ts';

/** Long ones: short words have the steps of others. */
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
/** On either side of a word, code units: an attempt is not longer without another such word. */
const REACH = 400;
const LETTERS = 26;

const numberOf = (unit: number): number => (unit | 32) - 97;
const modulo = (number: number): number => ((number % LETTERS) + LETTERS) % LETTERS;

type Move = { sign: 1 | -1; by: number };
const moves = new Map<string, { first: number; sign: 1 | -1 }>();
for (const word of ANCHORS) {
  for (const sign of [1, -1] as const) moves.set(stepsOf(word, sign), { first: numberOf(word.charCodeAt(0)), sign });
}

export function shiftsOf(text: string): [code: string, derived: DerivedText][] {
  const regions = new Map<string, { move: Move; start: number; end: number }[]>();
  for (const { 0: word, index } of matchesOf(text, longWord)) {
    const known = moves.get(stepsOf(word, 1));
    if (!known) continue;
    const first = numberOf(word.charCodeAt(0));
    const by = modulo(first - known.sign * known.first);
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
    const moved = movedBack(text.slice(start, end), move);
    return [move.sign === 1 ? 'shifted' : 'mirrored', inStep(moved, start)];
  });
}

const tables = new Map<string, Uint8Array>();
function movedBack(text: string, { sign, by }: Move): string {
  const key = `${sign} ${by}`;
  const table = tables.get(key) ?? letterTable((letter) => modulo(sign * (letter - by)));
  tables.set(key, table);
  return withLetters(text, table);
}

function stepsOf(word: string, sign: 1 | -1): string {
  let steps = '';
  for (let at = 1; at < word.length; at++) {
    const step = numberOf(word.charCodeAt(at)) - numberOf(word.charCodeAt(at - 1));
    steps += String.fromCharCode(97 + modulo(sign * step));
  }
  return steps;
}
