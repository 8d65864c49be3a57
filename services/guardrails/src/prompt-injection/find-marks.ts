// What marks.ts lists, found in a text.
import { fold } from '../text/fold.ts';
import { matchesOf } from '../text/matches-of.ts';
import { ALL_MARKS } from './marks.ts';
import { WEIGHTS } from './rules/rule.ts';
import type { Signal } from './signals.ts';

/** Of one mark: a text that is full of it says no more. */
const MAX_FOUND = 1_000;

export function findMarks(text: string, isTool: boolean): Signal[] {
  const folded = fold(text);
  return ALL_MARKS.flatMap(({ id, aim = 'turn', weight, pattern, where, unlessOpened }) => {
    if (where === 'tool' && !isTool) return [];
    const isOpened = unlessOpened && openedIn(folded, unlessOpened);
    const found: Signal[] = [];
    for (const match of matchesOf(folded, pattern, unlessOpened ? undefined : MAX_FOUND)) {
      if (isOpened?.(match[1] ?? '', match.index)) continue;
      found.push({ rule: id, aim, weight: WEIGHTS[weight], start: match.index, end: match.index + match[0].length });
      if (found.length >= MAX_FOUND) break;
    }
    return found;
  });
}

/** Whether the name is opened before a place. Looked for once for each name: a text may close it ten thousand times. */
function openedIn(text: string, opening: (name: string) => RegExp): (name: string, before: number) => boolean {
  const places = new Map<string, number>();
  return (given, before) => {
    const name = given.toLowerCase();
    const at = places.get(name) ?? text.search(opening(name));
    places.set(name, at);
    return at >= 0 && at < before;
  };
}
