// URLs: with a scheme that leads to a host, or beginning with www. Where a sentence or a bracket ends behind one, it ends too.
import type { Detector } from '../pii-types.ts';

const url = /(?<![\p{L}\p{N}])(?:(?:https?|ftps?|wss?|sftp):\/\/|www\.(?=[^\s.]{1,63}\.))[^\s"<>`]{2,1000}/giu;
const trailing = /[.,;:!?'*_~|]+$|(?:\)|\]|\})[.,;:!?'*_~|)\]}]*$/;
const PAIRS = { ')': '(', ']': '[', '}': '{' };

export const urls: Detector = {
  type: 'url',
  detect: ({ text }) =>
    [...text.matchAll(url)].map((match) => {
      const length = trimmed(match[0]).length;
      return { type: 'url' as const, start: match.index, end: match.index + length };
    }),
};

/** "(see https://example.com/a)." but `https://example.com/a_(b)`. */
function trimmed(found: string): string {
  const end = trailing.exec(found);
  if (!end) return found;
  const isOpened = Object.entries(PAIRS).some(([close, open]) => end[0].startsWith(close) && found.includes(open));
  return isOpened ? found.replace(/[.,;:!?'*_~|]+$/, '') : found.slice(0, end.index);
}
