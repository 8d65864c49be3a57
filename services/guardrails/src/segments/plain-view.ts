// A text as detectors read it, with the way back: for each character of the view, where it is written in the text.
import type { Span } from '../text/span.ts';
import { isPlainCode, notPlain, unitAt } from './unit-at.ts';

export type PlainView = {
  text: string;
  /** A stretch of the view, as it is written in the text, with what cannot be seen behind its last character. */
  spanOf(span: Span): Span;
  /** The first place of the view that is written at `at` or after it. */
  placeOf(at: number): number;
};

/** @param text from the start of a unit on, whole */
export function plainView(text: string): PlainView {
  if (!notPlain.test(text)) return { text, spanOf: ({ start, end }) => ({ start, end }), placeOf: (at) => at };
  let view = '';
  /** Where each character of the view is written, and where the text ends. */
  const starts: number[] = [];
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (isPlainCode(code)) {
      view += text.charAt(at);
      starts.push(at);
      at += 1;
      continue;
    }
    const unit = unitAt(text, at, true) ?? { plain: '', length: 1 };
    view += unit.plain;
    for (let character = 0; character < unit.plain.length; character++) starts.push(at);
    at += unit.length;
  }
  starts.push(text.length);
  return {
    text: view,
    spanOf: ({ start, end }) => ({ start: starts[start] ?? text.length, end: endOf(starts, end) }),
    placeOf: (at) => firstAt(starts, at, view.length),
  };
}

/** Of several characters that are written as one, all. */
function endOf(starts: readonly number[], end: number): number {
  let next = end;
  while (next < starts.length && starts[next] === starts[end - 1]) next += 1;
  return starts[next] ?? 0;
}

/** @param starts in order */
function firstAt(starts: readonly number[], at: number, last: number): number {
  let low = 0;
  let high = last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
