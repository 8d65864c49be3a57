// A text with what all views read of it, so that each is computed once.
import { findAsciiWords, type AsciiWords } from './ascii-words.ts';
import { classifyUnits } from './unit-kinds.ts';

/** `kinds`: those of each unit, and 0 at the end. */
export type ScannedText = { text: string; kinds: Uint16Array; words: AsciiWords };

export const scanText = (text: string): ScannedText => ({
  text,
  kinds: classifyUnits(text),
  words: findAsciiWords(text),
});
