// Finds texts that repeat others: corpora copy attacks from each other, and a copy of a training text measures nothing.

const WORDS = 5;
/** Share of known sequences of words from which a text is a copy. */
const MAX_KNOWN = 0.1;

function listShingles(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.slice(WORDS - 1).map((_, at) => words.slice(at, at + WORDS).join(' ')));
}

/** Returns the texts that share at most a tenth of their sequences of five words with the known ones. */
export function withoutKnown(texts: readonly string[], known: readonly string[]): string[] {
  const all = new Set(known.flatMap((text) => [...listShingles(text)]));
  return texts.filter((text) => {
    const own = listShingles(text);
    const shared = [...own].filter((shingle) => all.has(shingle)).length;
    return shared <= own.size * MAX_KNOWN;
  });
}
