// Lists and replaces all texts of a JSON value that a model reads: strings, names of members, and numbers.
import type { JsonValue, Message } from '@millrace/contracts';
import { createKeyedMap } from './keyed-values.ts';
import { mapMessage } from './message-values.ts';

const mapTexts = createKeyedMap(() => false);
const asMapText = (map: (text: string) => string) => Object.assign(map, { together: () => undefined });

/** Returns the same value if nothing changed. A replaced number becomes a string. */
export const replaceValueTexts = (value: JsonValue, replace: (text: string) => string): JsonValue =>
  mapTexts(value, asMapText(replace));

export function listValueTexts(value: JsonValue): string[] {
  const texts: string[] = [];
  replaceValueTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Returns the texts of all values of a message, in order. */
export function listMessageTexts(message: Message): string[] {
  const texts: string[] = [];
  mapMessage(message, (value) => {
    texts.push(...listValueTexts(value));
    return value;
  });
  return texts;
}
