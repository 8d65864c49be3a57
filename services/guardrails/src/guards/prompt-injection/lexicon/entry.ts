// Input and entries of a lexicon.

/**
 * Words by class, separated by spaces. `_` joins the words of a phrase; `*` ends a stem that other letters may follow:
 * `anweisung*`.
 */
export type Vocabulary = Readonly<Record<string, string>>;

/** Classes of a word. `phrases`: phrases that start with it. */
export type LexiconEntry = { classes: Set<number>; phrases: Phrase[] };
type Phrase = { rest: readonly LexiconEntry[]; classes: Set<number> };
