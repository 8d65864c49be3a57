// Lets a rule read JSON escapes as characters. Tool arguments and structured answers are streamed as JSON text, and
// some providers escape every letter beyond ASCII. `foldEscapes` handles white space, quotes and backslashes.
import type { TextSpan } from '../text/span.ts';
import type { StreamRule } from './text-guard.ts';

export const addUnescapedView = (rule: StreamRule): StreamRule => ({
  ...rule,
  find(text) {
    const view = unescapeText(text);
    return view ? rule.find(view.text).map((hit) => ({ ...hit, ...view.toSourceSpan(hit) })) : rule.find(text);
  },
  findSettledEnd(text, noted) {
    const view = unescapeText(text);
    return view ? view.toTextPlace(rule.findSettledEnd(view.text, noted)) : rule.findSettledEnd(text, noted);
  },
});

const escape = /\\(?:\\|\/|u([0-9a-fA-F]{4}))/g;
const BACKSLASH = '\\';
/** Length of the longest incomplete escape at the end. */
const LONGEST_BEGUN = 5;
const begun = /\\(?:u[0-9a-fA-F]{0,3})?$/;

type UnescapedView = { text: string; toTextPlace(at: number): number; toSourceSpan(span: TextSpan): TextSpan };

/** Replaces each complete escape by its character; returns undefined if there is none. */
function unescapeText(text: string): UnescapedView | undefined {
  if (!text.includes(BACKSLASH)) return undefined;
  /** `at`: end of the escape in the view. `more`: difference in length up to there. */
  const ends: { at: number; more: number }[] = [];
  let [more, read] = [0, 0];
  const view = text.replace(escape, (found: string, code: string | undefined, at: number) => {
    read = at + found.length;
    // Two backslashes are one escaped backslash, so no escape follows.
    if (found === '\\\\') return found;
    more += found.length - 1;
    ends.push({ at: read - more, more });
    const letter = code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16));
    return letter === BACKSLASH ? ' ' : letter;
  });
  const rest = begun.exec(text.slice(Math.max(read, text.length - LONGEST_BEGUN)))?.[0].length ?? 0;
  const toTextPlace = (at: number): number => {
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
    toTextPlace,
    toSourceSpan: ({ start, end }) => ({ start: toTextPlace(start), end: toTextPlace(end) }),
  };
}
