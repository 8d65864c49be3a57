// The texts of a value, judged together and then put back: two visits of the same value, so that a call has one budget and its
// long texts are judged elsewhere, in one go.
import type { JsonObject } from '@millrace/contracts';
import { BOUNDS, BoundExceeded, costOf } from './bounds.ts';

/** @param prefix what a name says of the text that stands under it ("ssn: "), judged before it and not given back */
export type MapText = (text: string, prefix?: string) => string;

/** Visits a value and maps its texts. @param mapAt gets where the texts are, for the report */
export type Visit<T> = (mapAt: (where: JsonObject) => MapText) => T;

/** Every text of the visit once, with and without its prefix. @throws BoundExceeded */
export function textsOf(visit: Visit<unknown>): string[] {
  const texts = new Set<string>();
  let cost = 0;
  const collect = (text: string) => {
    if (text === '' || texts.has(text)) return;
    texts.add(text);
    cost += costOf([text]);
    if (cost > BOUNDS.characters) throw new BoundExceeded('characters');
  };
  visit(() => (text, prefix) => {
    collect(text);
    if (prefix !== undefined) collect(prefix + text);
    return text;
  });
  return [...texts];
}
