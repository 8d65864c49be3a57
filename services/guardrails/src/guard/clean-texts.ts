// Remembers texts without findings, so that a guard does not judge the same text of a run again: an answer passes a
// guard in the stream, at the end of its step, at the end of the run and with the result. A guard may use this memory
// only if its findings depend on its options and the text alone; guards that count, cost or ask a model must judge each
// time. Texts with findings are never remembered.
import type { RunRef } from '@millrace/contracts';

export type CleanTexts = {
  has(guard: object, run: RunRef, text: string): boolean;
  add(guard: object, run: RunRef, text: string): void;
};

/**
 * Maximum number of UTF-16 code units of remembered texts per replica. The least recently used runs are evicted first.
 */
const MAX_CLEAN_CHARS = 8 * 1024 * 1024;
/** A shorter text is judged faster than it is looked up among its run's texts. */
const MIN_CLEAN_CHARS = 32;

type RunTexts = { chars: number; byGuard: Map<object, Set<string>> };

/** @param guard an object that identifies the guard and its options */
export function createCleanTexts(maxChars: number = MAX_CLEAN_CHARS): CleanTexts {
  const runs = new Map<string, RunTexts>();
  let chars = 0;
  const forgetOldest = () => {
    for (const [key, run] of runs) {
      if (chars <= maxChars) return;
      runs.delete(key);
      chars -= run.chars;
    }
  };
  return {
    has(guard, run, text) {
      if (text.length < MIN_CLEAN_CHARS) return false;
      const key = runKey(run);
      const known = runs.get(key);
      if (known?.byGuard.get(guard)?.has(text) !== true) return false;
      runs.delete(key);
      runs.set(key, known);
      return true;
    },
    add(guard, run, text) {
      if (text.length < MIN_CLEAN_CHARS || text.length > maxChars) return;
      const key = runKey(run);
      const known = runs.get(key) ?? { chars: 0, byGuard: new Map<object, Set<string>>() };
      const texts = known.byGuard.get(guard) ?? new Set<string>();
      if (texts.has(text)) return;
      texts.add(text);
      known.byGuard.set(guard, texts);
      known.chars += text.length;
      chars += text.length;
      runs.delete(key);
      runs.set(key, known);
      forgetOldest();
    },
  };
}

const runKey = ({ tenant, runId }: RunRef): string => `${tenant}.${runId}`;

/** One memory for the process, because its bound is the process's. */
export const cleanTexts: CleanTexts = createCleanTexts();
