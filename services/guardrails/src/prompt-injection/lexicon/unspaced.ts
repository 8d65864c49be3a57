// Scripts that do not part words by spaces (Chinese, Japanese, Thai), or join articles and endings to them (Arabic, Hebrew, Korean):
// words are looked for at every place of a run.
import type { Entry } from './entry.ts';

export type Scan = {
  /** Words of a run in order, `length` in code units; what is no word is left out. */
  find(run: string): { entry: Entry; at: number; length: number }[];
};

/** First and last code units. As NFKD leaves them: Korean in letters. */
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

/** Characters that are read as one word where no known one stands. */
export function wordLength(unit: number): number {
  if (unit >= 0x3040) return 2;
  return unit >= 0x0e00 && (unit < 0x1100 || unit >= 0x1780) ? 5 : Number.POSITIVE_INFINITY;
}

const KEY = 2;

export function createScan(words: ReadonlyMap<string, Entry>): Scan {
  const byStart = new Map<string, { word: string; entry: Entry }[]>();
  for (const [word, entry] of words) {
    const key = word.slice(0, KEY);
    byStart.set(
      key,
      [...(byStart.get(key) ?? []), { word, entry }].toSorted((a, b) => b.word.length - a.word.length),
    );
  }
  return {
    find(run) {
      const found: { entry: Entry; at: number; length: number }[] = [];
      for (let at = 0; at < run.length;) {
        const known = byStart.get(run.slice(at, at + KEY))?.find(({ word }) => run.startsWith(word, at));
        if (known) found.push({ entry: known.entry, at, length: known.word.length });
        at += known?.word.length ?? 1;
      }
      return found;
    },
  };
}
