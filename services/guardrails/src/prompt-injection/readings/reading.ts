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
export function sizeOf(tokens: readonly Token[], at: number, classes: ReadonlySet<number>): number {
  const token = tokens[at];
  if (!token) return 0;
  const { entry } = token;
  for (const { rest, classes: known } of entry.phrases) {
    if (!meet(known, classes)) continue;
    if (rest.every((next, n) => isNext(tokens, at + n, next))) return rest.length + 1;
  }
  return meet(entry.classes, classes) ? 1 : 0;
}

/** A word has few classes. */
function meet(own: ReadonlySet<number>, wanted: ReadonlySet<number>): boolean {
  for (const id of own) if (wanted.has(id)) return true;
  return false;
}

function isNext(tokens: readonly Token[], at: number, entry: Entry): boolean {
  const next = tokens[at + 1];
  return next?.entry === entry && next.index === (tokens[at]?.index ?? 0) + 1;
}
