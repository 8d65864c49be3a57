// Measures prose against budgets of words that technical English rarely needs. Pure. The reference values are those of well-kept
// TypeScript projects (hono, graphile-worker, nats.js, the Temporal SDK).
import type { ProseKind, ProsePiece } from './collect-prose.ts';

export type WordBudget = {
  name: string;
  pattern: RegExp;
  /** Occurrences per 1,000 words in the reference projects. */
  reference: number;
  /** Maximum number of occurrences per 1,000 words. */
  budget: number;
};

export const WORD_BUDGETS: readonly WordBudget[] = [
  {
    name: 'a person as the subject',
    pattern: /\b(?:who|whoever|whose|nobody|somebody|anybody)\b/gi,
    reference: 0,
    budget: 0.3,
  },
  { name: 'says, tells', pattern: /\b(?:says?|said|tells?|told)\b/gi, reference: 0.05, budget: 0.5 },
  {
    name: 'stands, comes, goes',
    pattern: /\b(?:stands?|stood|comes?|came|goes|gone)\b/gi,
    reference: 0.1,
    budget: 0.8,
  },
  { name: 'beside, anew', pattern: /\b(?:beside|anew|likewise|meanwhile|thereby)\b/gi, reference: 0.1, budget: 0.4 },
  { name: 'what as a noun', pattern: /\bwhat\b/gi, reference: 0.25, budget: 2 },
];

const WORD = /[A-Za-z][A-Za-z'-]*/g;
const CONDITION = /\b(?:if|when|unless)\b/gi;
const PLACE = /\bwhere\b/gi;
/** A kind with few words may have this many occurrences before its rate counts. */
const MIN_OCCURRENCES = 2;

export type KindMeasure = {
  kind: ProseKind;
  words: number;
  /** Occurrences per 1,000 words, in the order of the budgets. */
  rates: readonly number[];
  conditions: number;
  places: number;
};

export function measureProse(pieces: readonly ProsePiece[]): KindMeasure[] {
  const byKind = Map.groupBy(pieces, ({ kind }) => kind);
  return [...byKind].map(([kind, own]) => {
    const text = own.map((piece) => piece.text).join('\n');
    const words = countMatches(text, WORD);
    const rates = WORD_BUDGETS.map(({ pattern }) => (countMatches(text, pattern) / Math.max(words, 1)) * 1_000);
    return { kind, words, rates, conditions: countMatches(text, CONDITION), places: countMatches(text, PLACE) };
  });
}

/** Returns a line for each budget that a kind exceeds, with the files that have the most occurrences. */
export function findProseProblems(pieces: readonly ProsePiece[]): string[] {
  return measureProse(pieces).flatMap(({ kind, words, rates, conditions, places }) => {
    const own = pieces.filter((piece) => piece.kind === kind);
    const over = WORD_BUDGETS.flatMap(({ name, pattern, budget }, at) => {
      const rate = rates[at] ?? 0;
      const count = Math.round((rate * words) / 1_000);
      if (rate <= budget || count <= MIN_OCCURRENCES) return [];
      return [
        `${kind}: "${name}" occurs ${rate.toFixed(1)} times in 1,000 words, the budget is ${budget}: ${listWorst(own, pattern)}`,
      ];
    });
    const unbalanced = places > conditions ? [`${kind}: "where" ${places}, but if, when and unless ${conditions}`] : [];
    return [...over, ...unbalanced];
  });
}

function listWorst(pieces: readonly ProsePiece[], pattern: RegExp): string {
  const counts = new Map<string, number>();
  for (const { path, text } of pieces) {
    const count = countMatches(text, pattern);
    if (count > 0) counts.set(path, (counts.get(path) ?? 0) + count);
  }
  const worst = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, 5);
  return worst.map(([path, count]) => `${path} (${count})`).join(', ');
}

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
