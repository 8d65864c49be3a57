// A text as pieces that are counted one by one: white space and the word after it. A piece depends on nothing before its start and
// nothing after its end, so a text that comes in deltas has the same pieces, and the same count, as the whole.
import { wholeCharacter } from '../text/span.ts';

/** Code units. A longer word is several pieces: what is held back of a stream stays short, and no counter gets a word without end. */
const MAX_PIECE = 32;
const white = /\s/;

export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = pieceEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

/** How much of `text` are pieces that nothing changes any more, code units: the last one may go on. */
export function settledPieces(text: string): number {
  let start = 0;
  for (;;) {
    const end = pieceEnd(text, start);
    if (end >= text.length) return start;
    start = end;
  }
}

function pieceEnd(text: string, start: number): number {
  const last = Math.min(text.length, start + MAX_PIECE);
  let end = start;
  while (end < last && white.test(text.charAt(end))) end += 1;
  while (end < last && !white.test(text.charAt(end))) end += 1;
  return end < start + MAX_PIECE ? end : Math.max(wholeCharacter(text, end), start + 1);
}
