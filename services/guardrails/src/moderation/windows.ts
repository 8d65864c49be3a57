// A part's text as windows that a model judges one by one, each with the end of what came before it. Where they are cut depends on
// the text alone, so that a stream has the windows of the whole, whatever its chunks are.
import { createHash } from 'node:crypto';
import { wholeCharacter } from '../text/span.ts';

export type Window = { context: string; text: string };
export type WindowSizes = { window: number; context: number };

/** @param context of what came before @param isWhole nothing follows: the rest is a window too */
export function cutWindows(
  text: string,
  context: string,
  sizes: WindowSizes,
  isWhole: boolean,
): { windows: Window[]; rest: string; context: string } {
  const windows: Window[] = [];
  let before = context;
  let start = 0;
  const cut = (end: number) => {
    const window = { context: before, text: text.slice(start, end) };
    windows.push(window);
    before = endOf(before + window.text, sizes.context);
    start = end;
  };
  // One more than a window must be there: the cut must not part a pair.
  while (text.length - start > sizes.window) cut(wholeCharacter(text, start + sizes.window));
  if (isWhole && start < text.length) cut(text.length);
  return { windows, rest: text.slice(start), context: before };
}

function endOf(text: string, length: number): string {
  return length === 0 ? '' : text.slice(wholeCharacter(text, Math.max(0, text.length - length)));
}

/** What is kept of a window that was judged: a hash. Not salted, as it says no more than that this text has passed. */
export const windowKey = ({ context, text }: Window): string =>
  createHash('sha256')
    .update(JSON.stringify([context, text]))
    .digest('base64url')
    .slice(0, KEY_LENGTH);

/** 96 bits. */
const KEY_LENGTH = 16;
