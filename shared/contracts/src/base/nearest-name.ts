// Finds the name that a misspelled word means. Pure.

/** Maximum number of edits between a word and its suggestion. */
const MAX_EDITS = 2;
/** Of names up to this length one edit is the maximum. */
const SHORT_CHARS = 5;

/** Returns undefined if no name is near. */
export function findNearestName(word: string, names: readonly string[]): string | undefined {
  const [best] = names
    // At least the difference in length is edited. The word is foreign, and the count grows with the product of both lengths.
    .filter((name) => Math.abs(name.length - word.length) <= MAX_EDITS)
    .map((name) => ({ name, edits: countEdits(word, name) }))
    .filter(({ name, edits }) => edits <= (name.length <= SHORT_CHARS ? 1 : MAX_EDITS))
    .toSorted((one, other) => one.edits - other.edits);
  return best?.name;
}

/** Appends the suggestion to a message, in the place of its full stop. */
export function suggestName(message: string, word: string, names: readonly string[]): string {
  const nearest = findNearestName(word, names);
  return nearest === undefined ? message : `${message.replace(/\.$/, '')}; did you mean "${nearest}"?`;
}

/** Insertions, deletions and replacements of a letter, and swaps of two adjacent ones. */
function countEdits(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, at) => [at]);
  for (let to = 0; to <= other.length; to += 1) write(rows, 0, to, to);
  for (let at = 1; at <= one.length; at += 1)
    for (let to = 1; to <= other.length; to += 1) {
      const isSame = one[at - 1] === other[to - 1];
      const changed = Math.min(
        read(rows, at - 1, to) + 1,
        read(rows, at, to - 1) + 1,
        read(rows, at - 1, to - 1) + (isSame ? 0 : 1),
      );
      const isSwap = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      write(rows, at, to, isSwap ? Math.min(changed, read(rows, at - 2, to - 2) + 1) : changed);
    }
  return read(rows, one.length, other.length);
}

type DistanceRows = number[][];
const read = (rows: DistanceRows, at: number, to: number): number => rows[at]?.[to] ?? Infinity;
const write = (rows: DistanceRows, at: number, to: number, value: number): void => {
  const row = rows[at];
  if (row) row[to] = value;
};
