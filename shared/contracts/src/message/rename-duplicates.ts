// Keeps both members if two names became the same.

/** Counts up to this are written as strokes. */
const MAX_STROKES = 8;
/** Digits that form no word and no number: a guard may judge the name again. */
const DIGITS = 'bcdfghjklm';

export function renameDuplicates<T>(entries: readonly (readonly [string, T])[]): [string, T][] {
  const taken = new Set<string>();
  /** The last count of each name: thousands of names may become one. */
  const counts = new Map<string, number>();
  return entries.map(([name, member]) => {
    let free = name;
    for (let count = (counts.get(name) ?? 1) + 1; taken.has(free); count++) {
      free = `${name} ${formatCount(count)}`;
      counts.set(name, count);
    }
    taken.add(free);
    return [free, member];
  });
}

const formatCount = (count: number): string =>
  count <= MAX_STROKES
    ? 'i'.repeat(count)
    : Array.from(String(count), (digit) => DIGITS.charAt(Number(digit))).join('');
