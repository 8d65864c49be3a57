// Judges JSON values together with their names: {"ssn": "123456789"} identifies the digits as "SSN 123456789" does in a
// sentence. Names are judged like values, numbers by their digits, and the short members of a list together, because a
// card number may be split over them.
import type { JsonValue } from '@millrace/contracts';
import type { MapText } from './map-texts.ts';

/** Maximum length of a member that is joined with others, in code units. */
const MAX_MEMBER = 64;
const MAX_MEMBERS = 64;

type MapKeyed = (value: JsonValue, map: MapText, key?: string) => JsonValue;

/**
 * Maps every name, string and number inside; returns the same value if nothing changed. A marked number becomes text.
 * @param isTelling whether a name, as words, describes the value; then the guard judges both together
 */
export function createKeyedMap(isTelling: (words: string) => boolean): MapKeyed {
  const mapUnder = (key: string | undefined, text: string, map: MapText): string => {
    const words =
      key === undefined
        ? ''
        : key
            .replace(/([a-z])([A-Z])/g, '$1 $2')
            .replace(/[^\p{L}]+/gu, ' ')
            .trim();
    return words !== '' && isTelling(words) ? map(text, `${words}: `) : map(text);
  };
  const mapNumber = (value: number, map: MapText, key: string | undefined): JsonValue => {
    const text = String(value);
    const mapped = mapUnder(key, text, map);
    return mapped === text ? value : mapped;
  };
  const mapList = (value: JsonValue[], map: MapText, key: string | undefined): JsonValue[] => {
    const together = mapTogether(value, map);
    const mapped = value.map((member, at) => together?.[at] ?? mapKeyed(member, map, key));
    return mapped.every((member, at) => member === value[at]) ? value : mapped;
  };
  const mapKeyed: MapKeyed = (value, map, key) => {
    if (typeof value === 'string') return mapUnder(key, value, map);
    if (typeof value === 'number') return mapNumber(value, map, key);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return mapList(value, map, key);
    let isChanged = false;
    const mapped = Object.entries(value).map(([name, member]) => {
      const entry = [map(name), mapKeyed(member, map, name)] as const;
      isChanged ||= entry[0] !== name || entry[1] !== member;
      return entry;
    });
    return isChanged ? Object.fromEntries(uniqueBy(mapped)) : value;
  };
  return mapKeyed;
}

/** Maps short members as one text if it has a hit that none of them has. */
function mapTogether(members: readonly JsonValue[], map: MapText): readonly (string | undefined)[] | undefined {
  if (members.length < 2 || members.length > MAX_MEMBERS) return undefined;
  const texts = members.flatMap((member) => {
    const text = typeof member === 'number' ? String(member) : member;
    return typeof text === 'string' && text.length <= MAX_MEMBER ? [text] : [];
  });
  return texts.length === members.length ? map.together(texts, '\n') : undefined;
}

/** Keeps both entries if two names became the same mark. */
function uniqueBy(entries: readonly (readonly [string, JsonValue])[]): [string, JsonValue][] {
  const taken = new Set<string>();
  return entries.map(([name, member]) => {
    let free = name;
    for (let count = 2; taken.has(free); count++) free = `${name} ${'i'.repeat(count)}`;
    taken.add(free);
    return [free, member];
  });
}
