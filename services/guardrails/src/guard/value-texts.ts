// Lists and replaces all texts of JSON values that a model reads: strings, names of members, and numbers.
import type { JsonValue, Message } from '@millrace/contracts';
import { BoundExceeded, createCounter, sumLengths, type Bound } from '../work/bounds.ts';
import { createKeyedMap } from './keyed-values.ts';
import { mapMessage } from './message-values.ts';

const mapTexts = createKeyedMap(() => false);
const asMapText = (map: (text: string) => string) => Object.assign(map, { judgeTogether: () => undefined });

/** Returns the same value if nothing changed. A replaced number becomes a string. */
export const replaceValueTexts = (value: JsonValue, replace: (text: string) => string): JsonValue =>
  mapTexts(value, asMapText(replace));

/** Returns the texts of each message, in order. @param refuse called if all texts together exceed a bound */
export function listMessageTexts(messages: readonly Message[], refuse: (bound: Bound) => never): string[][] {
  return collectTexts(messages, refuse, (message, visit) => mapMessage(message, (value) => visit(value)));
}

/** @param refuse called if the texts exceed a bound */
export function listValueTexts(value: JsonValue, refuse: (bound: Bound) => never): string[] {
  return collectTexts([value], refuse, (one, visit) => visit(one)).flat();
}

function collectTexts<T>(
  values: readonly T[],
  refuse: (bound: Bound) => never,
  visitAll: (value: T, visit: (value: JsonValue) => JsonValue) => unknown,
): string[][] {
  const count = createCounter('characters');
  try {
    return values.map((value) => {
      const texts: string[] = [];
      const add = (text: string) => {
        count(sumLengths([text]));
        texts.push(text);
        return text;
      };
      visitAll(value, (one) => replaceValueTexts(one, add));
      return texts;
    });
  } catch (error) {
    if (error instanceof BoundExceeded) return refuse(error.bound);
    throw error;
  }
}
