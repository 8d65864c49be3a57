// Finds the patterns of marks.ts in a text. A pattern runs only if the text contains what it needs, and only at the places at which it can
// match, if these are known.
import { fold } from '../../text/fold.ts';
import { findMatches, findMatchesAt, toSticky } from '../../text/find-matches.ts';
import {
  createHashSet,
  findAsciiWords,
  listWordsIn,
  type AsciiWords,
  type HashSet,
} from '../../text/views/ascii-words.ts';
import { ROLE_LINE, type Mark } from './mark.ts';
import { ALL_MARKS } from './marks.ts';
import { WEIGHTS } from './rules/rule.ts';
import type { Signal } from './signals.ts';

/** Maximum number of hits per mark; more add no evidence. */
const MAX_FOUND = 1_000;

const MARKS = ALL_MARKS.map((mark) => ({
  mark,
  sticky: toSticky(mark.pattern),
  firstWords: mark.firstWords && createHashSet(mark.firstWords),
}));
type CompiledMark = (typeof MARKS)[number];
const NEEDED = [...new Set(ALL_MARKS.flatMap(({ needs = [] }) => needs))];

/** `text`: folded. `needed`: those texts that it contains of the ones that marks need. `roleLines`: their starts. */
type MarkedText = { text: string; needed: ReadonlySet<string>; words: AsciiWords; roleLines: readonly number[] };

export function findMarks(unfolded: string, isTool: boolean): Signal[] {
  const text = fold(unfolded);
  const lower = text.toLowerCase();
  const needed = new Set(NEEDED.filter((need) => lower.includes(need)));
  const roleLines = findMatches(text, ROLE_LINE).map(({ index }) => index);
  const marked: MarkedText = { text, needed, words: findAsciiWords(text), roleLines };
  return MARKS.flatMap((compiled) => {
    const { where, needs } = compiled.mark;
    if ((where === 'tool' && !isTool) || needs?.some((need) => needed.has(need)) === false) return [];
    return findMark(marked, compiled);
  });
}

function findMark(marked: MarkedText, { mark, sticky, firstWords }: CompiledMark): Signal[] {
  const { id, aim = 'turn', weight, toOpeningPattern: unlessOpened } = mark;
  const isOpened = unlessOpened && createOpeningCheck(marked.text, unlessOpened);
  const places = listPlaces(marked, mark, firstWords);
  const most = unlessOpened ? undefined : MAX_FOUND;
  const matches = places
    ? findMatchesAt(marked.text, sticky, places, most)
    : findMatches(marked.text, mark.pattern, most);
  const found: Signal[] = [];
  for (const match of matches) {
    if (isOpened?.(match[1] ?? '', match.index)) continue;
    found.push({ rule: id, aim, weight: WEIGHTS[weight], start: match.index, end: match.index + match[0].length });
    if (found.length >= MAX_FOUND) break;
  }
  return found;
}

/** Returns undefined if the mark may start anywhere. */
function listPlaces(
  { words, roleLines }: MarkedText,
  { startsAtRole }: Mark,
  firstWords: HashSet | undefined,
): readonly number[] | undefined {
  if (startsAtRole) return roleLines;
  return firstWords && listWordsIn(words, firstWords);
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
