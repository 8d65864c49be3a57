// All matches of a pattern, as matchAll finds them, without a copy of the pattern for each text: there are many patterns, and most texts are short.
const NONE: readonly RegExpExecArray[] = [];

/** @param pattern global, and never matches nothing @param most of them */
export function matchesOf(text: string, pattern: RegExp, most = Number.POSITIVE_INFINITY): readonly RegExpExecArray[] {
  pattern.lastIndex = 0;
  let match = pattern.exec(text);
  if (!match) return NONE;
  const found: RegExpExecArray[] = [];
  for (; match && found.length < most; match = pattern.exec(text)) found.push(match);
  return found;
}
