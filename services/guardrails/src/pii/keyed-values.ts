// JSON values with the name they stand under: {"ssn": "123456789"} says what the digits are, as "SSN 123456789" does in a
// sentence. Tool arguments and results are judged this way; numbers in them as their digits.
import type { JsonValue, Message } from '@millrace/contracts';
import { isBirthWord, isOpener } from './context-words.ts';

type MapText = (text: string) => string;

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

function mapUnder(key: string | undefined, text: string, map: MapText): string {
  const words = key === undefined ? '' : key.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[^A-Za-z]+/g, ' ');
  if (
    !words
      .toLowerCase()
      .split(' ')
      .some((word) => isOpener(word) || isBirthWord(word))
  )
    return map(text);
  const prefix = `${words}: `;
  const mapped = map(prefix + text);
  return mapped.startsWith(prefix) ? mapped.slice(prefix.length) : map(text);
}

/** The message with the arguments and results of its tool calls judged. */
export function mapToolInvocations(message: Message, map: MapText): Message {
  const parts = message.content.parts.map((part) => {
    if (part.type !== 'tool-invocation') return part;
    const { args, result } = part.toolInvocation;
    const judged = {
      args: mapKeyedValues(args, map),
      ...(result !== undefined && { result: mapKeyedValues(result, map) }),
    };
    const same = judged.args === args && judged.result === result;
    return same ? part : { ...part, toolInvocation: { ...part.toolInvocation, ...judged } };
  });
  const same = parts.every((part, at) => part === message.content.parts[at]);
  return same ? message : { ...message, content: { ...message.content, parts } };
}
