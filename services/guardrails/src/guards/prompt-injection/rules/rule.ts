// Types and notation of rules.
//
// A phrase is a list of words in order: a literal word, `@ignore` for the words of a class, `(a|@b|c_d)` for alternatives. `?` after
// either makes it optional, `..` allows up to three words of any kind, `..8` up to eight. `together` lists words in any order.

/** Goal of the attacker. */
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

/**
 * Log-odds of a single match, fitted on the calibrating halves of test/quality. A strong match alone is an attack at the
 * threshold of 0.75 in a text below 1,700 code units; a medium one needs another medium or, in a short text, a weak match in the same or the next sentence.
 */
export const WEIGHTS = { decides: 5, strong: 4, medium: 2.5, weak: 1.2, faint: 0.3 } as const;
export type Weight = keyof typeof WEIGHTS;
export const WEIGHT_NAMES = ['decides', 'strong', 'medium', 'weak', 'faint'] as const satisfies readonly Weight[];

export type InjectionRule = {
  /** Rule of a violation, which callers see. Several rules may share an id. */
  id: string;
  aim: Aim;
  weight: Weight;
  phrases?: readonly string[] | undefined;
  /** Sets of which one word each must occur within `within` words. */
  together?: readonly string[] | undefined;
  within?: number | undefined;
  /** `tool`: only in tool results. */
  where?: 'tool' | undefined;
  /** Whether the rule also applies to text without word boundaries; only for long and unambiguous rules. */
  inLetters?: boolean | undefined;
  /** Whether "do not ignore" lowers the weight, never to zero. */
  negatable?: boolean | undefined;
};

export type Choice = readonly string[];
export type PhraseItem = { gap: number; choices: Choice; optional: boolean };

const part = /\(([^)]*)\)(\?)?|\.\.(\d*)|([^\s?]+)(\?)?/g;
const ANY_GAP = 3;

export function readPhrase(phrase: string): PhraseItem[] {
  const items: PhraseItem[] = [];
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

/** Lists the literal words of rules, which the lexicon must contain. */
export function listLiterals(rules: readonly InjectionRule[]): string[] {
  const names = rules.flatMap(({ phrases = [], together = [] }) => [
    ...phrases.flatMap((phrase) => readPhrase(phrase).flatMap(({ choices }) => choices)),
    ...together.flatMap(readChoice),
  ]);
  return [...new Set(names.filter((name) => !name.startsWith('@')))];
}
