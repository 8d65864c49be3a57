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
