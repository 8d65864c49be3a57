// Finds all matches of a pattern like matchAll, without copying the pattern for each text, because there are many
// patterns and most texts are short.
const NONE: readonly RegExpExecArray[] = [];

/** @param pattern global; never matches the empty text @param most maximum number of matches */
export function findMatches(
  text: string,
  pattern: RegExp,
  most = Number.POSITIVE_INFINITY,
): readonly RegExpExecArray[] {
  pattern.lastIndex = 0;
  let match = pattern.exec(text);
  if (!match) return NONE;
  const found: RegExpExecArray[] = [];
  for (; match && found.length < most; match = pattern.exec(text)) found.push(match);
  return found;
}

/**
 * Finds the same matches as findMatches if each match starts at one of the places.
 * @param pattern sticky; never matches the empty text
 * @param places ascending
 * @param most maximum number of matches
 */
export function findMatchesAt(
  text: string,
  pattern: RegExp,
  places: readonly number[],
  most = Number.POSITIVE_INFINITY,
): readonly RegExpExecArray[] {
  if (places.length === 0) return NONE;
  const found: RegExpExecArray[] = [];
  let end = 0;
  for (const place of places) {
    if (place < end) continue;
    if (found.length >= most) break;
    pattern.lastIndex = place;
    const match = pattern.exec(text);
    if (!match) continue;
    found.push(match);
    end = place + match[0].length;
  }
  return found;
}

/** Returns the pattern for findMatchesAt. */
export const toSticky = ({ source, flags }: RegExp): RegExp => new RegExp(source, `${flags.replace('g', '')}y`);
