// JSON values with the name they stand under: {"ssn": "123456789"} says what the digits are, as "SSN 123456789" does in a
// sentence. Names are judged like values, numbers as their digits, and the short members of a list together: a card number may
// be cut over them.
import type { JsonValue } from '@millrace/contracts';
import type { MapText } from '../guard/map-texts.ts';
import { isBirthWord, isOpener, isPhoneWord } from './context-words.ts';

/** Longer members are texts of their own, code units. */
const MAX_MEMBER = 64;
const MAX_MEMBERS = 64;

/** Every name, string and number inside, judged by `map`; the same value when nothing changed. A marked number becomes text. */
export function mapKeyedValues(value: JsonValue, map: MapText, key?: string): JsonValue {
  if (typeof value === 'string') return mapUnder(key, value, map);
  if (typeof value === 'number') return mapNumber(value, map, key);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return mapList(value, map, key);
  let isChanged = false;
  const mapped = Object.entries(value).map(([name, member]) => {
    const entry = [map(name), mapKeyedValues(member, map, name)] as const;
    isChanged ||= entry[0] !== name || entry[1] !== member;
    return entry;
  });
  return isChanged ? Object.fromEntries(distinct(mapped)) : value;
}

function mapNumber(value: number, map: MapText, key: string | undefined): JsonValue {
  const text = String(value);
  const mapped = mapUnder(key, text, map);
  return mapped === text ? value : mapped;
}

function mapList(value: JsonValue[], map: MapText, key: string | undefined): JsonValue[] {
  const together = mapTogether(value, map);
  const mapped = value.map((member, at) => together?.[at] ?? mapKeyedValues(member, map, key));
  return mapped.every((member, at) => member === value[at]) ? value : mapped;
}

/** What short members are together, where that is more than each of them. */
function mapTogether(members: readonly JsonValue[], map: MapText): readonly (string | undefined)[] | undefined {
  if (members.length < 2 || members.length > MAX_MEMBERS) return undefined;
  const texts = members.flatMap((member) => {
    const text = typeof member === 'number' ? String(member) : member;
    return typeof text === 'string' && text.length <= MAX_MEMBER ? [text] : [];
  });
  return texts.length === members.length ? map.together(texts, '\n') : undefined;
}

/** Two names that have become the same mark are both kept. */
function distinct(entries: readonly (readonly [string, JsonValue])[]): [string, JsonValue][] {
  const taken = new Set<string>();
  return entries.map(([name, member]) => {
    let free = name;
    for (let count = 2; taken.has(free); count++) free = `${name} ${'i'.repeat(count)}`;
    taken.add(free);
    return [free, member];
  });
}

/** @param key part of what is judged where it says what the digits are */
function mapUnder(key: string | undefined, text: string, map: MapText): string {
  const words = key === undefined ? '' : key.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[^\p{L}]+/gu, ' ');
  const isTelling = words
    .toLowerCase()
    .split(' ')
    .some((word) => isOpener(word) || isBirthWord(word) || isPhoneWord(word));
  return isTelling ? map(text, `${words}: `) : map(text);
}
