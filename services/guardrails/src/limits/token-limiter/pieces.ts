// Splits a text into pieces that are counted separately: white space and the following word. A piece depends on no text
// outside of it, so a streamed text has the same pieces and the same count as the whole text.
import { alignToCharacter } from '../../text/span.ts';

/**
 * Maximum length of a piece, in code units. Splitting longer words bounds the stream's buffer and the input of the
 * counter.
 */
const MAX_PIECE = 32;
const white = /\s/;

export function* splitText(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = findPieceEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

/** Returns the length of the prefix of final pieces, in code units. The last piece may continue. */
export function splitSettled(text: string): number {
  let start = 0;
  for (;;) {
    const end = findPieceEnd(text, start);
    if (end >= text.length) return start;
    start = end;
  }
}

function findPieceEnd(text: string, start: number): number {
  const last = Math.min(text.length, start + MAX_PIECE);
  let end = start;
  while (end < last && white.test(text.charAt(end))) end += 1;
  while (end < last && !white.test(text.charAt(end))) end += 1;
  return end < start + MAX_PIECE ? end : Math.max(alignToCharacter(text, end), start + 1);
}
