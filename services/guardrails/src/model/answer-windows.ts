// Cuts a part's text into windows for a model, each with the end of the preceding text as context. The cuts depend on
// the text alone, so a stream has the same windows as the whole text.
import { createHash } from 'node:crypto';
import { alignToCharacter, takeEnd } from '../text/span.ts';

export type AnswerWindow = { context: string; text: string };
/** `window` 0: the whole text of a part is one window. */
export type WindowSizes = { window: number; context: number };

/** @param context end of the preceding text @param isWhole nothing follows, so the rest is a window too */
export function cutWindows(
  text: string,
  context: string,
  sizes: WindowSizes,
  isWhole: boolean,
): { windows: AnswerWindow[]; rest: string; context: string } {
  const windows: AnswerWindow[] = [];
  let before = context;
  let start = 0;
  const addWindow = (end: number) => {
    const window = { context: before, text: text.slice(start, end) };
    windows.push(window);
    before = takeEnd(before + window.text, sizes.context);
    start = end;
  };
  // Waits for one unit beyond a window, because a cut must not split a surrogate pair.
  const length = sizes.window === 0 ? Infinity : sizes.window;
  while (text.length - start > length) addWindow(alignToCharacter(text, start + length));
  if (isWhole && start < text.length) addWindow(text.length);
  return { windows, rest: text.slice(start), context: before };
}

/** Returns the hash of a judged window. It is not salted, because it reveals only that this text has passed. */
export const hashWindow = ({ context, text }: AnswerWindow): string =>
  createHash('sha256')
    .update(JSON.stringify([context, text]))
    .digest('base64url')
    .slice(0, KEY_LENGTH);

/** 96 bits. */
const KEY_LENGTH = 16;
