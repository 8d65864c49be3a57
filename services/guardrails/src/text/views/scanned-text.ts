// A text with the results that all views and readings share, so that each is computed once.
import { findAsciiWords, type AsciiWords } from './ascii-words.ts';
import { classifyUnits, readUnits } from './unit-kinds.ts';

/** `kinds`: those of each unit, and 0 at the end. `seen`: all kinds in the text. */
export type ScannedText = { text: string; units: Uint16Array; kinds: Uint16Array; seen: number; words: AsciiWords };

export function scanText(text: string): ScannedText {
  const units = readUnits(text);
  const kinds = classifyUnits(units);
  let seen = 0;
  for (let at = 0; at < kinds.length; at++) seen |= kinds[at] ?? 0;
  return { text, units, kinds, seen, words: findAsciiWords(units) };
}
