// Finds the patterns of marks.ts in a text. A pattern runs only if the text contains what it needs, and only at the places at which it can
// match, if these are known.
import { fold } from '../../text/fold.ts';
import { findMatches, findMatchesAt, toSticky } from '../../text/find-matches.ts';
import { createWordLists, findAsciiWords, findInLists } from '../../text/views/ascii-words.ts';
import type { ScannedText } from '../../text/views/scanned-text.ts';
import { readUnits } from '../../text/views/unit-kinds.ts';
import { ROLE_LINE } from './mark.ts';
import { ALL_MARKS } from './marks.ts';
import { WEIGHTS } from './rules/rule.ts';
import type { Signal } from './signals.ts';

/** Maximum number of hits per mark; more add no evidence. */
const MAX_FOUND = 1_000;

const WORDS = createWordLists(
  ALL_MARKS.flatMap(({ needsWords, firstWords }) => [needsWords, firstWords].filter((words) => words !== undefined)),
);
const getListNumber = (words: readonly string[] | undefined): number | undefined => words && WORDS.getNumber(words);

const MARKS = ALL_MARKS.map((mark) => ({
  mark,
  sticky: toSticky(mark.pattern),
  needed: getListNumber(mark.needsWords),
  first: getListNumber(mark.firstWords),
}));
type CompiledMark = (typeof MARKS)[number];

/** `text`: folded. `has`: whether it contains a text in lower case. `words`: places of the words of each list. */
type MarkedText = {
  text: string;
  has(need: string): boolean;
  words: readonly (readonly number[])[];
  roleLines: readonly number[];
};

export function findMarks(scanned: ScannedText, isTool: boolean): Signal[] {
  const text = fold(scanned.text);
  const words = text === scanned.text ? scanned.words : findAsciiWords(readUnits(text));
  const roleLines = findMatches(text, ROLE_LINE).map(({ index }) => index);
  const marked = { text, has: createSearch(text.toLowerCase()), words: findInLists(words, WORDS), roleLines };
  const found: Signal[] = [];
  for (const compiled of MARKS) {
    if (compiled.mark.where === 'tool' && !isTool) continue;
    if (mayMatch(marked, compiled)) addMatches(found, marked, compiled);
  }
  return found;
}

/** Returns a function that searches each needed text once. */
function createSearch(lower: string): (need: string) => boolean {
  const known = new Map<string, boolean>();
  return (need) => {
    const has = known.get(need) ?? lower.includes(need);
    known.set(need, has);
    return has;
  };
}

function mayMatch({ has, words }: MarkedText, { mark: { needs }, needed }: CompiledMark): boolean {
  if (!needs && needed === undefined) return true;
  return (needed !== undefined && (words[needed]?.length ?? 0) > 0) || needs?.some(has) === true;
}

function addMatches(found: Signal[], marked: MarkedText, compiled: CompiledMark): void {
  const { id, aim = 'turn', weight, pattern, toOpeningPattern: unlessOpened } = compiled.mark;
  const isOpened = unlessOpened && createOpeningCheck(marked.text, unlessOpened);
  const places = listPlaces(marked, compiled);
  const most = unlessOpened ? undefined : MAX_FOUND;
  const matches = places
    ? findMatchesAt(marked.text, compiled.sticky, places, most)
    : findMatches(marked.text, pattern, most);
  let count = 0;
  for (const match of matches) {
    if (isOpened?.(match[1] ?? '', match.index)) continue;
    found.push({ rule: id, aim, weight: WEIGHTS[weight], start: match.index, end: match.index + match[0].length });
    count += 1;
    if (count >= MAX_FOUND) break;
  }
}

/** Returns undefined if the mark may start anywhere. */
function listPlaces({ words, roleLines }: MarkedText, { mark, first }: CompiledMark): readonly number[] | undefined {
  if (mark.startsAtRole) return roleLines;
  if (first === undefined) return undefined;
  const places = words[first] ?? [];
  const { before = 0 } = mark;
  return before === 0 ? places : places.flatMap((place, at) => listBefore(place, before, places[at - 1] ?? -1));
}

/** Lists the places up to `before` units before a place, which follow the place of the preceding word. */
function listBefore(place: number, before: number, last: number): number[] {
  const first = Math.max(0, place - before, last + 1);
  return Array.from({ length: place - first + 1 }, (_, at) => first + at);
}

/**
 * Returns whether the name was opened before a place. Searches once per name, because a text may close it ten thousand
 * times.
 */
function createOpeningCheck(
  text: string,
  buildOpening: (name: string) => RegExp,
): (name: string, before: number) => boolean {
  const places = new Map<string, number>();
  return (given, before) => {
    const name = given.toLowerCase();
    const at = places.get(name) ?? text.search(buildOpening(name));
    places.set(name, at);
    return at >= 0 && at < before;
  };
}
