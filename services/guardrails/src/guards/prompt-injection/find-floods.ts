// Finds floods: repeated signs, words or pieces that push the preceding instructions out of the model's attention.
import type { TextSpan } from '../../text/span.ts';
import type { ScannedText } from '../../text/views/scanned-text.ts';

/** Characters of lines, rulers and tables. */
const DRAWN = new Set(Array.from(' \t\n\r-=_*#.~+|/\\─━═│·• '));
const MAX_PERIOD = 24;
/** Minimum number of code units that equal the unit one period before. */
const MIN_LENGTH = 60;
const MIN_DRAWN = 400;
/** Length from which a flood has no other purpose. Documents contain shorter ones. */
const MIN_FLOOD = 20_000;
/** Maximum length of an interruption inside a flood. */
const MAX_BREAK = 16;

/** Tries periods at the start of a repetition, so the cost per place does not depend on the text. */
export function findFloods({ text, units }: Pick<ScannedText, 'text' | 'units'>): TextSpan[] {
  if (text.length < MIN_FLOOD || !mayHaveFlood(units)) return [];
  const floods: TextSpan[] = [];
  for (let at = 0; at + MIN_LENGTH <= text.length;) {
    const period = measurePeriod(units, at);
    if (period === 0) {
      at += STEP;
      continue;
    }
    let end = at + period;
    while (end < text.length && units[end] === units[end - period]) end += 1;
    const isDrawn = Array.from(text.slice(at, at + period)).every((character) => DRAWN.has(character));
    const last = floods.at(-1);
    if (end - at >= (isDrawn ? MIN_DRAWN : MIN_LENGTH)) {
      if (last && at - last.end <= MAX_BREAK) last.end = end;
      else floods.push({ start: at, end });
    }
    at = Math.max(end - period, at + STEP);
  }
  return floods.filter(({ start, end }) => end - start >= MIN_FLOOD);
}

/** Distance between looked-at windows. A flood contains one of them. */
const WINDOW_STEP = MIN_FLOOD / 2;
/** Length of a window. It contains the start of a repetition, or is inside of one, if a flood contains it. */
const WINDOW = 256;

/** Returns whether a window has a repetition. */
function mayHaveFlood(units: Uint16Array): boolean {
  for (let from = 0; from < units.length; from += WINDOW_STEP) {
    const to = Math.min(from + WINDOW, units.length - MIN_LENGTH);
    for (let at = from; at < to; at++) if (measurePeriod(units, at) > 0) return true;
  }
  return false;
}

/** Distance between tried places. A flood that starts between two is found at the next. */
const STEP = 8;

/** Returns the shortest period that holds for the next stretch, or 0. */
function measurePeriod(units: Uint16Array, at: number): number {
  for (let period = 1; period <= MAX_PERIOD; period++) {
    let next = at + period;
    const end = at + MIN_LENGTH;
    while (next < end && units[next] === units[next - period]) next += 1;
    if (next === end) return period;
  }
  return 0;
}
