// A text as a row of words that rules know, with their places. Other words are only counted.
import type { TextSpan } from '../../../text/span.ts';
import type { LexiconEntry } from '../lexicon/entry.ts';

/** `index`: number of the word in the text, including unknown ones. `size`: letters. */
export type RuleToken = TextSpan & { entry: LexiconEntry; index: number; size: number };

export type RuleReading = {
  /** `guessed`: bare letters of a text known to be disguised, so that all rules apply. */
  kind: 'words' | 'letters' | 'guessed';
  /** The ids of the tokens' entries, and their indexes, in arrays because the search for rules reads them all. */
  ids: Int32Array;
  indexes: Int32Array;
  /** Created by the first access, because most readings match no rule. */
  readonly tokens: readonly RuleToken[];
  /** Additional words allowed between the words of a rule, because word boundaries are uncertain. */
  slack: number;
};

/** Creates a reading of tokens that are known. */
export const createReading = (kind: RuleReading['kind'], tokens: readonly RuleToken[], slack: number): RuleReading => {
  const [ids, indexes] = [new Int32Array(tokens.length), new Int32Array(tokens.length)];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token) continue;
    ids[at] = token.entry.id;
    indexes[at] = token.index;
  }
  return { kind, ids, indexes, tokens, slack };
};

/** Returns the number of tokens of a class's word or phrase that starts at a place, or 0. */
export function matchSize(tokens: readonly RuleToken[], at: number, classes: ReadonlySet<number>): number {
  const token = tokens[at];
  if (!token) return 0;
  const { entry } = token;
  for (const { rest, classes: known } of entry.phrases) {
    if (isRow(tokens, at, rest) && haveCommonClass(known, classes)) return rest.length + 1;
  }
  return haveCommonClass(entry.classes, classes) ? 1 : 0;
}

/** A linear search, because a word has few classes. */
function haveCommonClass(own: ReadonlySet<number>, wanted: ReadonlySet<number>): boolean {
  for (const id of own) if (wanted.has(id)) return true;
  return false;
}

/** Returns whether the words follow the token. */
function isRow(tokens: readonly RuleToken[], at: number, rest: readonly LexiconEntry[]): boolean {
  for (let n = 0; n < rest.length; n++) {
    const next = rest[n];
    if (!next || !isNext(tokens, at + n, next)) return false;
  }
  return true;
}

function isNext(tokens: readonly RuleToken[], at: number, entry: LexiconEntry): boolean {
  const next = tokens[at + 1];
  return next?.entry === entry && next.index === (tokens[at]?.index ?? 0) + 1;
}
