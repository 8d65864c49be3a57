// URLs with a scheme and a host, or starting with www. Punctuation that ends a sentence or a bracket ends the URL.
import type { Detector } from '../pii-types.ts';

const url = /(?<![\p{L}\p{N}])(?:(?:https?|ftps?|wss?|sftp):\/\/|www\.(?=[^\s.]{1,63}\.))[^\s"<>`]{2,1000}/giu;
const trailing = /[.,;:!?'*_~|]+$|(?:\)|\]|\})[.,;:!?'*_~|)\]}]*$/;
const PAIRS = { ')': '(', ']': '[', '}': '{' };

export const urls: Detector = {
  type: 'url',
  detect: ({ text }) =>
    [...text.matchAll(url)].map((match) => {
      const length = trimUrl(match[0]).length;
      return { type: 'url' as const, start: match.index, end: match.index + length };
    }),
};

/** "(see https://example.com/a)." but `https://example.com/a_(b)`. */
function trimUrl(found: string): string {
  const end = trailing.exec(found);
  if (!end) return found;
  const isOpened = Object.entries(PAIRS).some(([close, open]) => end[0].startsWith(close) && found.includes(open));
  return isOpened ? found.replace(/[.,;:!?'*_~|]+$/, '') : found.slice(0, end.index);
}

/**
 * A URL with credentials, scheme://user:password@host. The hit includes the host, because the text before it would otherwise be an e-mail
 * address. The bounds keep a hit below MAX_MATCH.
 */
const credentialUrl = /\b[a-z][a-z0-9+.-]{1,15}:(?:\/\/|\\\/\\\/)([^\s/?#"<>\\]{1,160}@[^\s/?#"'<>()[\]\\,;]{1,128})/gi;
/** A user name that is no secret: `ssh://git@host`. */
const noSecret = /^git@/;

export const urlCredentials: Detector = {
  type: 'url-credentials',
  detect: ({ text }) =>
    [...text.matchAll(credentialUrl)].flatMap((match) => {
      const found = match[1] ?? '';
      const end = match.index + match[0].length;
      if (found === '' || noSecret.test(found)) return [];
      return [{ type: 'url-credentials' as const, start: end - found.length, end, contextStart: match.index }];
    }),
};
