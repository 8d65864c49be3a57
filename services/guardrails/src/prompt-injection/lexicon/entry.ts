// What a lexicon is made from, and what it holds.

/**
 * Classes and their words, with spaces between. `_` joins words that stand one after the other, `*` ends what other letters may
 * follow: `anweisung*`.
 */
export type Vocabulary = Readonly<Record<string, string>>;

/** What a word means; `phrases`: what it begins. */
export type Entry = { classes: Set<number>; phrases: Phrase[] };
type Phrase = { rest: readonly Entry[]; classes: Set<number> };
