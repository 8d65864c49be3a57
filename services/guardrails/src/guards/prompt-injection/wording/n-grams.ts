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
  hashText(text, (at) => counts.set(at, (counts.get(at) ?? 0) + 1));
  return counts;
}

const counted = new Uint32Array(NGRAM_COUNT);
/** Equals sumNgrams(countNgrams(text), weights). */
export function scoreNgrams(text: string, weights: Int8Array): number {
  const places: number[] = [];
  hashText(text, (at) => {
    if (counted[at] === 0) places.push(at);
    counted[at] = (counted[at] ?? 0) + 1;
  });
  let [sum, squares] = [0, 0];
  for (const at of places) {
    const count = counted[at] ?? 0;
    sum += (weights[at] ?? 0) * count;
    squares += count * count;
    counted[at] = 0;
  }
  return squares === 0 ? 0 : sum / Math.sqrt(squares);
}

function hashText(text: string, add: (at: number) => void): void {
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}_]+/gu))
    hashWord(word, add);
}

function hashWord(word: string, add: (at: number) => void): void {
  const last = word.length + 1;
  for (let from = 0; from <= last - SHORTEST + 1; from++) {
    let hash = 0x811c9dc5;
    for (let at = from; at < from + LONGEST && at <= last; at++) {
      const unit = at === 0 || at === last ? SPACE : word.charCodeAt(at - 1);
      hash = Math.imul(hash ^ unit, 0x01000193);
      if (at - from + 1 >= SHORTEST) add((hash ^ (hash >>> BITS)) & (NGRAM_COUNT - 1));
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
