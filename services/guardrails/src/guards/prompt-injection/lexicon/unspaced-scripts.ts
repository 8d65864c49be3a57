// Finds words in scripts without spaces (Chinese, Japanese, Thai), or with joined articles and endings (Arabic, Hebrew,
// Korean), at every place of a run.
import type { LexiconEntry } from './entry.ts';

export type UnspacedScan = {
  /** Returns the words of a run in order and skips unknown text; `length` in code units. */
  find(run: string): { entry: LexiconEntry; at: number; length: number }[];
};

/** First and last code units after NFKD, which decomposes Korean into letters. */
const SCRIPTS = [
  [0x0590, 0x06ff],
  [0x0750, 0x077f],
  [0x0e00, 0x0eff],
  [0x1000, 0x11ff],
  [0x1780, 0x17ff],
  [0x3040, 0x30ff],
  [0x3400, 0x9fff],
] as const;

export function isUnspaced(word: string): boolean {
  const unit = word.charCodeAt(0);
  return SCRIPTS.some(([first, last]) => unit >= first && unit <= last);
}

/** Returns the number of unknown characters that count as one word. */
export function getWordLength(unit: number): number {
  if (unit >= 0x3040) return 2;
  return unit >= 0x0e00 && (unit < 0x1100 || unit >= 0x1780) ? 5 : Number.POSITIVE_INFINITY;
}

const KEY = 2;

export function createUnspacedScan(words: ReadonlyMap<string, LexiconEntry>): UnspacedScan {
  const byStart = new Map<string, { word: string; entry: LexiconEntry }[]>();
  for (const [word, entry] of words) {
    const key = word.slice(0, KEY);
    byStart.set(
      key,
      [...(byStart.get(key) ?? []), { word, entry }].toSorted((a, b) => b.word.length - a.word.length),
    );
  }
  return {
    find(run) {
      const found: { entry: LexiconEntry; at: number; length: number }[] = [];
      for (let at = 0; at < run.length;) {
        const known = byStart.get(run.slice(at, at + KEY))?.find(({ word }) => run.startsWith(word, at));
        if (known) found.push({ entry: known.entry, at, length: known.word.length });
        at += known?.word.length ?? 1;
      }
      return found;
    },
  };
}
