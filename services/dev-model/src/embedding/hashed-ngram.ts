// A deterministic embedder without a model: words, pairs of words, and the beginnings and character trigrams of words are
// hashed, with a sign, into a fixed number of buckets (the hashing trick: Weinberger et al., "Feature Hashing for Large Scale Multitask
// Learning", ICML 2009). Texts that share words, or forms of a word, come out close; it knows nothing of meaning, so
// "car" and "vehicle" are strangers. Vectors have unit length.
import { functionWords } from '../function-words.ts';

const weights = { word: 1, pair: 0.3, beginning: 0.7, trigrams: 0.6 };

/** A word's first letters are a stem, near enough, in most languages that inflect: "parked" and "park" share theirs. */
const beginningLength = 4;

/**
 * Short words are mostly the glue of a language ("is", "the", "did") and say little about what a text is about: their
 * weight by length in code points. Longer words count in full but for a few that glue English, and so do numbers.
 */
const dampByLength = [0, 0.1, 0.15, 0.4, 0.8];
const functionWordDamp = 0.1;

export function embed(text: string, dimensions: number): Float64Array {
  const vector = new Float64Array(dimensions);
  const words = wordsOf(text);
  let before: { word: string; damp: number } | undefined;

  for (const word of words) {
    const damp = dampOf(word);
    add(vector, `w ${word}`, weights.word * damp);
    if (before !== undefined) add(vector, `p ${before.word} ${word}`, weights.pair * Math.sqrt(before.damp * damp));
    const beginning = Array.from(word).slice(0, beginningLength).join('');
    add(vector, `b ${beginning}`, weights.beginning * damp);
    addTrigrams(vector, word, weights.trigrams * damp);
    before = { word, damp };
  }
  return unitLength(vector, text);
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

function dampOf(word: string): number {
  if (/\p{N}/u.test(word)) return 1;
  if (functionWords.has(word)) return functionWordDamp;
  return dampByLength[Array.from(word).length] ?? 1;
}

/** A word's trigrams weigh as much together whatever its length; the edges count, so that `park` meets `parked`. */
function addTrigrams(vector: Float64Array, word: string, weight: number): void {
  const points = Array.from(`^${word}$`);
  const count = Math.max(1, points.length - 2);
  const each = weight / Math.sqrt(count);
  for (let at = 0; at < count; at++) add(vector, `t ${points.slice(at, at + 3).join('')}`, each);
}

function add(vector: Float64Array, feature: string, weight: number): void {
  const hash = hash32(feature);
  const bucket = (hash >>> 1) % vector.length;
  vector[bucket] = (vector[bucket] ?? 0) + (hash & 1 ? weight : -weight);
}

/** FNV-1a over UTF-16 units, with MurmurHash3's finalizer so that the low bits are as good as the high ones. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function unitLength(vector: Float64Array, text: string): Float64Array {
  let norm = Math.hypot(...vector);
  if (norm === 0) {
    // No word in it, or features that cancelled each other: the text as a whole is the only feature then.
    add(vector, `x ${text}`, 1);
    norm = 1;
  }
  return vector.map((value) => value / norm);
}
