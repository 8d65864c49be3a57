// A text as a row of words that rules know, with their places. Other words are only counted. A reading has a column for each property of its
// tokens, because an object for each token of a long text costs more than the search.
import type { TextSpan } from '../../../text/span.ts';
import { getEntry, type LexiconEntry } from '../lexicon/entry.ts';

/** The reading of a text is valid until the next text is read, because all readings share their columns. */
export type RuleReading = {
  /** `guessed`: bare letters of a text known to be disguised, so that all rules apply. */
  kind: 'words' | 'letters' | 'guessed';
  /** Number of tokens. The columns may be longer. */
  count: number;
  /** The ids of the tokens' entries, and NO_ENTRY after the last one. */
  ids: Int32Array;
  /** For each token, its number among the words of the text, including unknown ones. */
  indexes: Int32Array;
  /** For each token, its number of letters. */
  sizes: Int32Array;
  getSpan(at: number): TextSpan;
  /** Additional words allowed between the words of a rule, because word boundaries are uncertain. */
  slack: number;
};
const NO_ENTRY = -1;

/** The columns of tokens that are found one after the other. `starts` and `ends` are places in the text, or in the letters of it. */
export type TokenColumns = {
  count: number;
  ids: Int32Array;
  indexes: Int32Array;
  sizes: Int32Array;
  starts: Int32Array;
  ends: Int32Array;
};

/** Number of tokens up to which columns are kept for the next text. */
const MAX_KEPT = 65_536;
const createColumns = (length: number): TokenColumns => ({
  count: 0,
  ids: new Int32Array(length),
  indexes: new Int32Array(length),
  sizes: new Int32Array(length),
  starts: new Int32Array(length),
  ends: new Int32Array(length),
});
let shared = createColumns(1_024);

/** Returns empty columns. Those of the preceding reading are no longer valid. */
export function takeColumns(): TokenColumns {
  if (shared.ids.length > MAX_KEPT) shared = createColumns(1_024);
  shared.count = 0;
  return shared;
}

export function addToken(
  columns: TokenColumns,
  id: number,
  index: number,
  size: number,
  start: number,
  end: number,
): void {
  const at = columns.count;
  if (at + 1 >= columns.ids.length) growColumns(columns);
  columns.ids[at] = id;
  columns.indexes[at] = index;
  columns.sizes[at] = size;
  columns.starts[at] = start;
  columns.ends[at] = end;
  columns.count = at + 1;
}

function growColumns(columns: TokenColumns): void {
  const grow = (column: Int32Array): Int32Array => {
    const larger = new Int32Array(2 * column.length);
    larger.set(column);
    return larger;
  };
  columns.ids = grow(columns.ids);
  columns.indexes = grow(columns.indexes);
  columns.sizes = grow(columns.sizes);
  columns.starts = grow(columns.starts);
  columns.ends = grow(columns.ends);
}

/** @param getSpan default: the places of the columns */
export function createReading(
  kind: RuleReading['kind'],
  { count, ids, indexes, sizes, starts, ends }: TokenColumns,
  slack: number,
  getSpan: RuleReading['getSpan'] = (at) => ({ start: starts[at] ?? 0, end: ends[at] ?? 0 }),
): RuleReading {
  ids[count] = NO_ENTRY;
  return { kind, count, ids, indexes, sizes, getSpan, slack };
}

/** Returns the number of tokens of a class's word or phrase that starts at a place, or 0. */
export function matchSize(reading: RuleReading, at: number, classes: ReadonlySet<number>): number {
  const entry = getEntry(reading.ids[at] ?? NO_ENTRY);
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
