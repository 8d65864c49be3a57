// A text as a row of words that rules know, with their places. Other words are only counted. A reading has a column for each property of its
// tokens, because an object for each token of a long text costs more than the search.
import type { TextSpan } from '../../../text/span.ts';
import { getEntry, type LexiconEntry } from '../lexicon/entry.ts';

export type RuleReading = {
  /** `guessed`: bare letters of a text known to be disguised, so that all rules apply. */
  kind: 'words' | 'letters' | 'guessed';
  /** The ids of the tokens' entries. */
  ids: Int32Array;
  /** For each token, its number among the words of the text, including unknown ones. */
  indexes: Int32Array;
  /** Returns the number of letters of a token. */
  getSize(at: number): number;
  getSpan(at: number): TextSpan;
  /** Additional words allowed between the words of a rule, because word boundaries are uncertain. */
  slack: number;
};

/** The columns of tokens that are found one after the other. */
export type TokenColumns = {
  count: number;
  ids: Int32Array;
  indexes: Int32Array;
  sizes: Int32Array;
  starts: Int32Array;
  ends: Int32Array;
};

export const createColumns = (capacity: number): TokenColumns => ({
  count: 0,
  ids: new Int32Array(capacity),
  indexes: new Int32Array(capacity),
  sizes: new Int32Array(capacity),
  starts: new Int32Array(capacity),
  ends: new Int32Array(capacity),
});

export function addToken(
  columns: TokenColumns,
  entry: LexiconEntry,
  index: number,
  size: number,
  start: number,
  end: number,
): void {
  if (columns.count === columns.ids.length) growColumns(columns);
  const at = columns.count;
  columns.ids[at] = entry.id;
  columns.indexes[at] = index;
  columns.sizes[at] = size;
  columns.starts[at] = start;
  columns.ends[at] = end;
  columns.count = at + 1;
}

function growColumns(columns: TokenColumns): void {
  const grow = (column: Int32Array): Int32Array => {
    const larger = new Int32Array(2 * column.length + 16);
    larger.set(column);
    return larger;
  };
  columns.ids = grow(columns.ids);
  columns.indexes = grow(columns.indexes);
  columns.sizes = grow(columns.sizes);
  columns.starts = grow(columns.starts);
  columns.ends = grow(columns.ends);
}

export function createReading(kind: RuleReading['kind'], columns: TokenColumns, slack: number): RuleReading {
  const { count, ids, indexes, sizes, starts, ends } = columns;
  return {
    kind,
    ids: ids.subarray(0, count),
    indexes: indexes.subarray(0, count),
    getSize: (at) => sizes[at] ?? 0,
    getSpan: (at) => ({ start: starts[at] ?? 0, end: ends[at] ?? 0 }),
    slack,
  };
}

/** Returns the number of tokens of a class's word or phrase that starts at a place, or 0. */
export function matchSize(reading: RuleReading, at: number, classes: ReadonlySet<number>): number {
  const entry = getEntry(reading.ids[at] ?? -1);
  if (!entry) return 0;
  for (const { rest, classes: known } of entry.phrases) {
    if (isRow(reading, at, rest) && haveCommonClass(known, classes)) return rest.length + 1;
  }
  return haveCommonClass(entry.classes, classes) ? 1 : 0;
}

/** A linear search, because a word has few classes. */
function haveCommonClass(own: ReadonlySet<number>, wanted: ReadonlySet<number>): boolean {
  for (const id of own) if (wanted.has(id)) return true;
  return false;
}

/** Returns whether the words follow the token, without unknown words between them. */
function isRow({ ids, indexes }: RuleReading, at: number, rest: readonly LexiconEntry[]): boolean {
  for (let n = 0; n < rest.length; n++) {
    const next = at + n + 1;
    if (ids[next] !== rest[n]?.id || indexes[next] !== (indexes[next - 1] ?? 0) + 1) return false;
  }
  return true;
}
