// E-mail addresses. Bounds: RFC 5321, section 4.5.3.1 (64 octets before the @, 254 in all).
import { hitsOf, type Detector } from '../pii-types.ts';

/** `%40` and `\u0040`: the @ as it stands in URLs and in JSON text. */
const address =
  /[\p{L}\p{N}][\p{L}\p{N}._%+'-]{0,63}(?:@|%40|\\u0040)((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,6}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24}))/giu;
/** `lodash@4.17.21-beta.rc` is a package, `icon@2x.png` a file. */
const versionOrScale = /^(?:\d+\.\d|\d+x\.)/i;

export const email: Detector = {
  type: 'email',
  detect: ({ text }) =>
    hitsOf('email', text, address, (match) => {
      const isInUrl = text.charAt(match.index + match[0].length) === ':' || text.charAt(match.index - 1) === '/';
      const isRemote = match[0].startsWith('git@') && isInUrl;
      return !isRemote && !versionOrScale.test(match[1] ?? '');
    }),
};
