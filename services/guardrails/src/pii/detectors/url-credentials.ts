// Credentials in a URL: user, password and host of scheme://user:password@host. The host is part of the hit: what stands before
// it would be taken for an e-mail address otherwise. Bounds keep the whole below MAX_MATCH.
import type { Detector } from '../pii-types.ts';

const url = /\b[a-z][a-z0-9+.-]{1,15}:(?:\/\/|\\\/\\\/)([^\s/?#"<>\\]{1,160}@[^\s/?#"'<>()[\]\\,;]{1,128})/gi;
/** A user that everybody has: `ssh://git@host`. */
const noSecret = /^git@/;

export const urlCredentials: Detector = {
  type: 'url-credentials',
  detect: ({ text }) =>
    [...text.matchAll(url)].flatMap((match) => {
      const found = match[1] ?? '';
      const end = match.index + match[0].length;
      if (found === '' || noSecret.test(found)) return [];
      return [{ type: 'url-credentials' as const, start: end - found.length, end, contextStart: match.index }];
    }),
};
