// JSON values with the name they stand under: {"ssn": "123456789"} says what the digits are, as "SSN 123456789" does in a
// sentence. Tool arguments and results are judged this way; numbers in them as their digits.
import type { JsonValue } from '@millrace/contracts';
import type { MapText } from '../guard/map-texts.ts';
import { isBirthWord, isOpener } from './context-words.ts';

/** Every string and number inside, judged by `map`; the same value when nothing changed. A number that is marked becomes text. */
export function mapKeyedValues(value: JsonValue, map: MapText, key?: string): JsonValue {
  if (typeof value === 'string') return mapUnder(key, value, map);
  if (typeof value === 'number') {
    const text = String(value);
    const mapped = mapUnder(key, text, map);
    return mapped === text ? value : mapped;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const mapped = value.map((member) => mapKeyedValues(member, map, key));
    return mapped.every((member, at) => member === value[at]) ? value : mapped;
  }
  const mapped = Object.entries(value).map(([name, member]) => [name, mapKeyedValues(member, map, name)] as const);
  return mapped.every(([name, member]) => member === value[name]) ? value : Object.fromEntries(mapped);
}

/** @param key part of what is judged where it says what the digits are */
function mapUnder(key: string | undefined, text: string, map: MapText): string {
  const words = key === undefined ? '' : key.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[^A-Za-z]+/g, ' ');
  const isTelling = words
    .toLowerCase()
    .split(' ')
    .some((word) => isOpener(word) || isBirthWord(word));
  return isTelling ? map(text, `${words}: `) : map(text);
}
