// A text with the results that all views and readings share, so that each is computed once.
import { findAsciiWords, type AsciiWords } from './ascii-words.ts';
import { classifyUnits, readUnits, type ClassifiedUnits } from './unit-kinds.ts';

export type ScannedText = ClassifiedUnits & { text: string; units: Uint16Array; words: AsciiWords };

export function scanText(text: string): ScannedText {
  const units = readUnits(text);
  const { kinds, seen } = classifyUnits(units);
  return { text, units, kinds, seen, words: findAsciiWords(units) };
}
