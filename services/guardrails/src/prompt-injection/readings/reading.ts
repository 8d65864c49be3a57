// A text as a row of words that rules know, with their places. What no rule knows is left out and only counted.
import type { Span } from '../../text/span.ts';
import type { Entry } from '../lexicon/entry.ts';

/** `index`: the number of the word in the text, those that no rule knows counted; `size`: letters. */
export type Token = Span & { entry: Entry; index: number; size: number };

export type Reading = {
  /** `guessed`: bare letters of a text that is known to be disguised, so that all rules are read in them. */
  kind: 'words' | 'letters' | 'guessed';
  tokens: readonly Token[];
  /** How many more words than a rule says may stand between its words, because it is not certain where words end. */
  slack: number;
};

/** A word of a class at a place, or a phrase that begins there. `size`: how many tokens. */
export function sizeOf(tokens: readonly Token[], at: number, classes: readonly number[]): number {
  const token = tokens[at];
  if (!token) return 0;
  for (const { rest, classes: known } of token.entry.phrases) {
    if (!classes.some((id) => known.has(id))) continue;
    if (rest.every((entry, n) => isNext(tokens, at + n, entry))) return rest.length + 1;
  }
  return classes.some((id) => token.entry.classes.has(id)) ? 1 : 0;
}

function isNext(tokens: readonly Token[], at: number, entry: Entry): boolean {
  const next = tokens[at + 1];
  return next?.entry === entry && next.index === (tokens[at]?.index ?? 0) + 1;
}
