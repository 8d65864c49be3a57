// What a rule says, and how its notation is read.
//
// A phrase is words in order: a word stands for itself, `@ignore` for the words of a class, `(a|@b|c_d)` for one of these, `?` after
// either means that it may be missing, `..` up to three words of any kind, `..8` up to eight. `together` are words in any order.

/** What the attacker wants. */
export const AIMS = [
  'override',
  'reveal',
  'role',
  'turn',
  'answer',
  'state',
  'flood',
  'exfiltrate',
  'assistant',
  'memory',
] as const;
export type Aim = (typeof AIMS)[number];

/** How much a rule says by itself; below the threshold of 0.7 it needs another one near it. */
export const WEIGHTS = { decides: 0.92, strong: 0.72, medium: 0.5, weak: 0.3, faint: 0.15 } as const;
export type Weight = keyof typeof WEIGHTS;

export type Rule = {
  /** A violation's rule, which callers see. Several rules may have one id. */
  id: string;
  aim: Aim;
  weight: Weight;
  phrases?: readonly string[];
  /** One of each of these within so many words. */
  together?: readonly string[];
  within?: number;
  /** `tool`: only where no user speaks, in the results of tools. */
  where?: 'tool';
  /** Also where words cannot be told apart: only what is long and plain enough. */
  inLetters?: boolean;
  /** "Do not ignore": says less, never nothing. */
  negatable?: boolean;
};

export type Choice = readonly string[];
export type Item = { gap: number; choices: Choice; optional: boolean };

const part = /\(([^)]*)\)(\?)?|\.\.(\d*)|([^\s?]+)(\?)?/g;
const ANY_GAP = 3;

export function readPhrase(phrase: string): Item[] {
  const items: Item[] = [];
  let gap = 0;
  for (const [, choices, choicesOptional, words, single, singleOptional] of phrase.matchAll(part)) {
    if (choices === undefined && single === undefined) {
      gap = words === '' ? ANY_GAP : Number(words);
      continue;
    }
    items.push({
      gap,
      choices: readChoice(choices ?? single ?? ''),
      optional: choicesOptional !== undefined || singleOptional !== undefined,
    });
    gap = 0;
  }
  return items;
}

export const readChoice = (choice: string): Choice => choice.split('|').map((name) => name.trim().replaceAll(' ', '_'));

/** The words that rules name themselves: a lexicon has to know them. */
export function literalsIn(rules: readonly Rule[]): string[] {
  const names = rules.flatMap(({ phrases = [], together = [] }) => [
    ...phrases.flatMap((phrase) => readPhrase(phrase).flatMap(({ choices }) => choices)),
    ...together.flatMap(readChoice),
  ]);
  return [...new Set(names.filter((name) => !name.startsWith('@')))];
}
