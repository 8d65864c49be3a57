// E-mail addresses, found around each @. Bounds: RFC 5321, section 4.5.3.1 (64 octets before the @, 254 in all).
import { findPattern, type Detector, type PiiHit } from '../pii-types.ts';

const MAX_LOCAL = 64;
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`;
const topLevel = String.raw`(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24})`;
/** Includes `user@[192.0.2.1]`. */
const domain = new RegExp(String.raw`(?:${label}\.){1,6}${topLevel}|\[(?:ipv6:)?[0-9a-f.:]{3,45}\]`, 'iuy');
/** "ada [at] example [dot] com": the at sign in brackets, the dots with or without. */
const spokenSign = / ?[[({<] ?(?:at|@|arroba) ?[\])}>] ?/gi;
const spokenDomain = new RegExp(
  String.raw`${label}(?:(?:\.| ?[[({<] ?(?:dot|punkt|\.) ?[\])}>] ?)${label}){1,5}`,
  'iuy',
);
/** `lodash@4.17.21-beta.rc` is a package, `icon@2x.png` a file. */
const versionOrScale = /^(?:\d+\.\d|\d+x\.)/i;
const inLocal = /[\p{L}\p{N}._%+'&~!#$^-]/u;
const atStart = /[\p{L}\p{N}_]/u;

export const email: Detector = {
  type: 'email',
  detect: ({ text }) => [...findWritten(text), ...findSpoken(text)],
};

function findWritten(text: string): PiiHit[] {
  const hits: PiiHit[] = [];
  for (let sign = text.indexOf('@'); sign >= 0; sign = text.indexOf('@', sign + 1)) {
    domain.lastIndex = sign + 1;
    const found = domain.exec(text)?.[0];
    const start = found === undefined ? sign : findLocalStart(text, sign);
    if (found === undefined || start === sign || versionOrScale.test(found)) continue;
    const end = sign + 1 + found.length;
    const isInUrl = text.charAt(end) === ':' || text.charAt(start - 1) === '/';
    if (!(isInUrl && text.slice(start, sign) === 'git')) hits.push({ type: 'email', start, end });
  }
  return hits;
}

function findSpoken(text: string): PiiHit[] {
  return findPattern('email', text, spokenSign).flatMap(({ start: sign, end: domainStart }) => {
    spokenDomain.lastIndex = domainStart;
    const found = spokenDomain.exec(text)?.[0];
    const start = findLocalStart(text, sign);
    return found === undefined || start === sign
      ? []
      : [{ type: 'email' as const, start, end: domainStart + found.length }];
  });
}

/** Returns the start of the part before the @, or `sign` if there is none. */
function findLocalStart(text: string, sign: number): number {
  const first = Math.max(0, sign - MAX_LOCAL);
  if (text.charAt(sign - 1) === '"') {
    const open = text.lastIndexOf('"', sign - 2);
    return open >= first && open < sign - 2 && !/[\s@<>]/.test(text.slice(open, sign))
      ? open
      : findLastWordStart(text, first, sign);
  }
  let start = sign;
  while (start > first && inLocal.test(text.charAt(start - 1))) start -= 1;
  while (start < sign && !atStart.test(text.charAt(start))) start += 1;
  return start;
}

/** Returns the start of the last word of a quoted name with spaces. */
function findLastWordStart(text: string, first: number, sign: number): number {
  let start = sign - 1;
  while (start > first && !/[\s"@<>]/.test(text.charAt(start - 1))) start -= 1;
  return start === sign - 1 ? sign : start;
}
