// Finds the patterns of marks.ts in a text.
import { fold } from '../../text/fold.ts';
import { findMatches } from '../../text/find-matches.ts';
import { ALL_MARKS } from './marks.ts';
import { WEIGHTS } from './rules/rule.ts';
import type { Signal } from './signals.ts';

/** Maximum number of hits per mark; more add no evidence. */
const MAX_FOUND = 1_000;

export function findMarks(text: string, isTool: boolean): Signal[] {
  const folded = fold(text);
  const lower = folded.toLowerCase();
  return ALL_MARKS.flatMap(({ id, aim = 'turn', weight, pattern, where, needs, toOpeningPattern: unlessOpened }) => {
    if ((where === 'tool' && !isTool) || needs?.every((need) => !lower.includes(need)) === true) return [];
    const isOpened = unlessOpened && createOpeningCheck(folded, unlessOpened);
    const found: Signal[] = [];
    for (const match of findMatches(folded, pattern, unlessOpened ? undefined : MAX_FOUND)) {
      if (isOpened?.(match[1] ?? '', match.index)) continue;
      found.push({ rule: id, aim, weight: WEIGHTS[weight], start: match.index, end: match.index + match[0].length });
      if (found.length >= MAX_FOUND) break;
    }
    return found;
  });
}

/**
 * Returns whether the name was opened before a place. Searches once per name, because a text may close it ten thousand
 * times.
 */
function createOpeningCheck(
  text: string,
  opening: (name: string) => RegExp,
): (name: string, before: number) => boolean {
  const places = new Map<string, number>();
  return (given, before) => {
    const name = given.toLowerCase();
    const at = places.get(name) ?? text.search(opening(name));
    places.set(name, at);
    return at >= 0 && at < before;
  };
}
