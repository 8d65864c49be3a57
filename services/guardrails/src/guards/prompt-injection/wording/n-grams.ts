// Counts the n-grams of a text: all sequences of three, four and five characters of each word with a space at both ends,
// by their hash, so that no table of n-grams is needed.

const BITS = 14;
/** Number of hashes. */
export const NGRAM_COUNT = 1 << BITS;
const [SHORTEST, LONGEST] = [3, 5];
const SPACE = 32;

/** Returns the number of occurrences by hash. */
export function countNgrams(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  const add = (hash: number): void => {
    const at = (hash ^ (hash >>> BITS)) & (NGRAM_COUNT - 1);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  };
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}_]+/gu))
    hashWord(word, add);
  return counts;
}

function hashWord(word: string, add: (hash: number) => void): void {
  const last = word.length + 1;
  for (let from = 0; from <= last - SHORTEST + 1; from++) {
    let hash = 0x811c9dc5;
    for (let at = from; at < from + LONGEST && at <= last; at++) {
      const unit = at === 0 || at === last ? SPACE : word.charCodeAt(at - 1);
      hash = Math.imul(hash ^ unit, 0x01000193);
      if (at - from + 1 >= SHORTEST) add(hash >>> 0);
    }
  }
}

/** Returns the weighted sum of the n-grams; the counts have the length 1 as a vector. */
export function sumNgrams(counts: ReadonlyMap<number, number>, weights: ArrayLike<number>): number {
  let [sum, squares] = [0, 0];
  for (const [at, count] of counts) {
    sum += (weights[at] ?? 0) * count;
    squares += count * count;
  }
  return squares === 0 ? 0 : sum / Math.sqrt(squares);
}
