// Judges JSON values together with their names: {"ssn": "123456789"} identifies the digits as "SSN 123456789" does in a
// sentence. Names are judged like values, numbers by their digits, and short leaves of one list or object together,
// because a card number may be split over them.
import { renameDuplicates, type JsonValue } from '@millrace/contracts';
import type { MapText } from './map-texts.ts';

/** Maximum length of a leaf that is joined with others, in code units. */
const MAX_LEAF = 64;
/** Number of leaves in one window, and of those that it shares with the next one: at least the digits of a card. */
const WINDOW = 64;
const OVERLAP = 32;

type MapKeyed = (value: JsonValue, map: MapText, key?: string) => JsonValue;

/**
 * Maps every name, string and number inside; returns the same value if nothing changed. A marked number becomes text.
 * @param describesValue whether a name, as words, describes the value; then the guard judges both together
 */
export function createKeyedMap(describesValue: (words: string) => boolean): MapKeyed {
  const mapUnder = (key: string | undefined, text: string, map: MapText): string => {
    const words =
      key === undefined
        ? ''
        : key
            .replace(/([a-z])([A-Z])/g, '$1 $2')
            .replace(/[^\p{L}]+/gu, ' ')
            .trim();
    return words !== '' && describesValue(words) ? map(text, `${words}: `) : map(text);
  };
  const mapNumber = (value: number, map: MapText, key: string | undefined): JsonValue => {
    const text = String(value);
    const mapped = mapUnder(key, text, map);
    return mapped === text ? value : mapped;
  };
  const mapInside = (value: JsonValue, map: MapText, key: string | undefined, joined: JoinedLeaves): JsonValue => {
    if (typeof value === 'string') return joined.next() ?? mapUnder(key, value, map);
    if (typeof value === 'number') return joined.next() ?? mapNumber(value, map, key);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const mapped = value.map((member) => mapInside(member, map, key, joined));
      return mapped.every((member, at) => member === value[at]) ? value : mapped;
    }
    let isChanged = false;
    const mapped = Object.entries(value).map(([name, member]) => {
      const entry = [map(name), mapInside(member, map, name, joined)] as const;
      isChanged ||= entry[0] !== name || entry[1] !== member;
      return entry;
    });
    return isChanged ? Object.fromEntries(renameDuplicates(mapped)) : value;
  };
  return (value, map, key) => mapInside(value, map, key, joinLeaves(value, map));
}

type JoinedLeaves = {
  /** Returns the result of the next string or number if it is part of a hit across several. Call it for each, in order. */
  next(): string | undefined;
};

/** Maps the leaves of each group as one text, and keeps the results that only the joined text has. */
function joinLeaves(value: JsonValue, map: MapText): JoinedLeaves {
  const results = new Map<number, string>();
  for (const group of collectGroups(value))
    for (const { from, to } of listWindows(group.length)) {
      const leaves = group.slice(from, to);
      const together = map.judgeTogether(
        leaves.map(({ text }) => text),
        '\n',
      );
      for (const [at, text] of (together ?? []).entries()) {
        const leaf = leaves[at];
        if (leaf && text !== undefined && !results.has(leaf.at)) results.set(leaf.at, text);
      }
    }
  let at = 0;
  return { next: () => results.get(at++) };
}

function listWindows(length: number): { from: number; to: number }[] {
  if (length < 2) return [];
  const count = Math.max(Math.ceil((length - OVERLAP) / (WINDOW - OVERLAP)), 1);
  return Array.from({ length: count }, (_, at) => {
    const from = at * (WINDOW - OVERLAP);
    return { from, to: from + WINDOW };
  });
}

/** A short string or number. @member at its number among all strings and numbers of the value, in order */
type Leaf = { at: number; text: string };

/**
 * Returns the leaves that may form one value: those of one list, those of one object, and those under one name in the
 * objects of a list.
 */
function collectGroups(value: JsonValue): Leaf[][] {
  const groups: Leaf[][] = [];
  let count = 0;
  /** Returns the own leaves of an object by their names. */
  const visit = (one: JsonValue): Map<string, Leaf> | Leaf | undefined => {
    if (typeof one === 'string' || typeof one === 'number') {
      const leaf = { at: count++, text: String(one) };
      return leaf.text.length <= MAX_LEAF ? leaf : undefined;
    }
    if (typeof one !== 'object' || one === null) return undefined;
    const members = Object.entries(one).map(([name, member]) => [name, visit(member)] as const);
    const leaves = members.flatMap(([name, found]) =>
      found && !(found instanceof Map) ? [[name, found] as const] : [],
    );
    groups.push(leaves.map(([, leaf]) => leaf));
    if (!Array.isArray(one)) return new Map(leaves);
    const rows = members.flatMap(([, found]) => (found instanceof Map ? [...found] : []));
    for (const column of Map.groupBy(rows, ([name]) => name).values()) groups.push(column.map(([, leaf]) => leaf));
    return undefined;
  };
  visit(value);
  return groups;
}
