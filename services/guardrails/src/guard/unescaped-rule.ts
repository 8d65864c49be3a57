// A rule that reads a character for the escape that JSON may have in its place: tool arguments and structured answers are streamed as they are
// written, and some providers write every letter beyond ASCII so. White space, quotes and backslashes are read by `foldEscapes`.
import type { Span } from '../text/span.ts';
import type { StreamRule } from './text-guard.ts';

export const readingEscapes = (rule: StreamRule): StreamRule => ({
  ...rule,
  find(text) {
    const view = unescaped(text);
    return view ? rule.find(view.text).map((hit) => ({ ...hit, ...view.spanOf(hit) })) : rule.find(text);
  },
  settled(text, noted) {
    const view = unescaped(text);
    return view ? view.placeOf(rule.settled(view.text, noted)) : rule.settled(text, noted);
  },
});

const escape = /\\(?:\\|\/|u([0-9a-fA-F]{4}))/g;
const BACKSLASH = '\\';
/** What may be the beginning of an escape, at the end. */
const LONGEST_BEGUN = 5;
const begun = /\\(?:u[0-9a-fA-F]{0,3})?$/;

type View = { text: string; placeOf(at: number): number; spanOf(span: Span): Span };

/** One character for each escape; without one that has only begun. undefined where there is none. */
function unescaped(text: string): View | undefined {
  if (!text.includes(BACKSLASH)) return undefined;
  /** Ends of the escapes: in the view, and how much longer the text is up to there. */
  const ends: { at: number; more: number }[] = [];
  let [more, read] = [0, 0];
  const view = text.replace(escape, (found: string, code: string | undefined, at: number) => {
    read = at + found.length;
    // Two of them are one that is written: what follows is no escape.
    if (found === '\\\\') return found;
    more += found.length - 1;
    ends.push({ at: read - more, more });
    const letter = code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16));
    return letter === BACKSLASH ? ' ' : letter;
  });
  const rest = begun.exec(text.slice(Math.max(read, text.length - LONGEST_BEGUN)))?.[0].length ?? 0;
  const placeOf = (at: number): number => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle]?.at ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return at + (ends[low - 1]?.more ?? 0);
  };
  return {
    text: view.slice(0, view.length - rest),
    placeOf,
    spanOf: ({ start, end }) => ({ start: placeOf(start), end: placeOf(end) }),
  };
}
