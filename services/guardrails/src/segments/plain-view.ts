// Builds the view of a text that detectors read, with the place of each character in the text.
import type { TextSpan } from '../text/span.ts';
import { isPlainCode, notPlain, readUnitAt } from './read-unit.ts';

export type PlainView = {
  text: string;
  /** Maps a span of the view to the text, including invisible characters after its last one. */
  toSourceSpan(span: TextSpan): TextSpan;
  /** Returns the first place of the view at or after `at` in the text. */
  toViewPlace(at: number): number;
};

/** @param text starts at the start of a unit, whole */
export function createPlainView(text: string): PlainView {
  if (!notPlain.test(text))
    return { text, toSourceSpan: ({ start, end }) => ({ start, end }), toViewPlace: (at) => at };
  let view = '';
  /** Place of each character of the view, and the end of the text. */
  const starts: number[] = [];
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (isPlainCode(code)) {
      view += text.charAt(at);
      starts.push(at);
      at += 1;
      continue;
    }
    const unit = readUnitAt(text, at, true) ?? { plain: '', length: 1 };
    view += unit.plain;
    for (let character = 0; character < unit.plain.length; character++) starts.push(at);
    at += unit.length;
  }
  starts.push(text.length);
  return {
    text: view,
    toSourceSpan: ({ start, end }) => ({ start: starts[start] ?? text.length, end: findSourceEnd(starts, end) }),
    toViewPlace: (at) => findFirstAt(starts, at, view.length),
  };
}

/** If one unit has several characters, its end is the end of all. */
function findSourceEnd(starts: readonly number[], end: number): number {
  let next = end;
  while (next < starts.length && starts[next] === starts[end - 1]) next += 1;
  return starts[next] ?? 0;
}

/** @param starts in order */
function findFirstAt(starts: readonly number[], at: number, last: number): number {
  let low = 0;
  let high = last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
