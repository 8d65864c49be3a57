// A deterministic embedder without a model: words, pairs of words, and the beginnings and character trigrams of words
// are hashed with a sign into a fixed number of buckets (the hashing trick: Weinberger et al., "Feature Hashing for
// Large Scale Multitask Learning", ICML 2009). Texts that share words, or forms of a word, are close; it ignores
// meaning, so "car" and "vehicle" are unrelated. Vectors have unit length.

/** English words without content. */
const functionWords: ReadonlySet<string> = new Set(
  `a about again all also am an and any are as ask asked at be because been before but by can could did do does don for
  from give had has have he her here him his how i if in into is it its just know let like ll m may me mean mention
  mentioned mine my name named no not now of off ok on or our out over please re remember remind s said say says she
  should show so some t tell than that the their them then there these they this those to told too up us ve very want
  was we were what when where which who whom whose why will with would yes you your`.split(/\s+/),
);

const weights = { word: 1, pair: 0.3, beginning: 0.7, trigrams: 0.6 };

/** The first letters of a word approximate its stem in most inflected languages: "parked" and "park" share them. */
const beginningLength = 4;

/**
 * Weight of a word by its length in code points: short words ("is", "the", "did") carry little content. Longer words
 * have full weight except for a few English function words, and so do numbers.
 */
const dampByLength = [0, 0.1, 0.15, 0.4, 0.8];
const functionWordDamp = 0.1;

export function embed(text: string, dimensions: number): Float64Array {
  const vector = new Float64Array(dimensions);
  const words = splitWords(text);
  let before: { word: string; damp: number } | undefined;

  for (const word of words) {
    const damp = weighWord(word);
    add(vector, `w ${word}`, weights.word * damp);
    if (before !== undefined) add(vector, `p ${before.word} ${word}`, weights.pair * Math.sqrt(before.damp * damp));
    const beginning = Array.from(word).slice(0, beginningLength).join('');
    add(vector, `b ${beginning}`, weights.beginning * damp);
    addTrigrams(vector, word, weights.trigrams * damp);
    before = { word, damp };
  }
  return normalizeLength(vector, text);
}

const splitWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

function weighWord(word: string): number {
  if (/\p{N}/u.test(word)) return 1;
  if (functionWords.has(word)) return functionWordDamp;
  return dampByLength[Array.from(word).length] ?? 1;
}

/**
 * The trigrams of a word have one total weight for any length; the word's edges count, so that `park` matches `parked`.
 */
function addTrigrams(vector: Float64Array, word: string, weight: number): void {
  const points = Array.from(`^${word}$`);
  const count = Math.max(1, points.length - 2);
  const each = weight / Math.sqrt(count);
  for (let at = 0; at < count; at++) add(vector, `t ${points.slice(at, at + 3).join('')}`, each);
}

function add(vector: Float64Array, feature: string, weight: number): void {
  const hash = computeHash32(feature);
  const bucket = (hash >>> 1) % vector.length;
  vector[bucket] = (vector[bucket] ?? 0) + (hash & 1 ? weight : -weight);
}

/** FNV-1a over UTF-16 units with MurmurHash3's finalizer, which makes the low bits as good as the high ones. */
function computeHash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function normalizeLength(vector: Float64Array, text: string): Float64Array {
  let norm = Math.hypot(...vector);
  if (norm === 0) {
    // Without a word, or if the features cancelled each other, the whole text is the only feature.
    add(vector, `x ${text}`, 1);
    norm = 1;
  }
  return vector.map((value) => value / norm);
}
