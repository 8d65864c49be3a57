// The same sign, word or piece again and again, to push away what the model was told before.
import type { Span } from '../text/span.ts';

/** Lines, rulers and tables are drawn with these. */
const DRAWN = new Set(Array.from(' \t\n\r-=_*#.~+|/\\─━═│·• '));
const MAX_PERIOD = 24;
/** Code units that are the same as those one period before them. */
const MIN_LENGTH = 60;
const MIN_DRAWN = 400;
/** So much of it has no other purpose. */
const MIN_DELUGE = 20_000;
/** A run that is broken by a few other characters goes on. */
const MAX_BREAK = 16;

/** `isDeluge`: long enough to decide by itself. */
export type Flood = Span & { isDeluge: boolean };

/** Periods are tried where the text begins to repeat itself: a place costs as much whatever the text. */
export function findFloods(text: string): Flood[] {
  const floods: Span[] = [];
  for (let at = 0; at + MIN_LENGTH <= text.length;) {
    const period = periodAt(text, at);
    if (period === 0) {
      at += STEP;
      continue;
    }
    let end = at + period;
    while (end < text.length && text.charCodeAt(end) === text.charCodeAt(end - period)) end += 1;
    const isDrawn = Array.from(text.slice(at, at + period)).every((character) => DRAWN.has(character));
    const last = floods.at(-1);
    if (end - at >= (isDrawn ? MIN_DRAWN : MIN_LENGTH)) {
      if (last && at - last.end <= MAX_BREAK) last.end = end;
      else floods.push({ start: at, end });
    }
    at = Math.max(end - period, at + STEP);
  }
  return floods.map((flood) => ({ ...flood, isDeluge: flood.end - flood.start >= MIN_DELUGE }));
}

/** Places that are tried: a flood that begins between two is found at the next. */
const STEP = 8;

/** The shortest period that holds for the next stretch; 0 where none does. */
function periodAt(text: string, at: number): number {
  for (let period = 1; period <= MAX_PERIOD; period++) {
    let next = at + period;
    const end = at + MIN_LENGTH;
    while (next < end && text.charCodeAt(next) === text.charCodeAt(next - period)) next += 1;
    if (next === end) return period;
  }
  return 0;
}
