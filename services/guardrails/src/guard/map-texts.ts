// The texts of a value, judged together and then put back: two visits of the same value, so that a call has one budget and its
// long texts are judged elsewhere, in one go.
import type { JsonObject } from '@millrace/contracts';
import { BOUNDS, BoundExceeded, costOf } from './bounds.ts';

export type MapText = {
  /** @param prefix what a name says of the text that stands under it ("ssn: "), judged before it and not given back */
  (text: string, prefix?: string): string;
  /**
   * Texts that may be something only when they are read together, each as it may pass; undefined for those in which nothing was
   * found that goes over their end, and for all where there are none.
   */
  together(texts: readonly string[], glue: '' | '\n'): readonly (string | undefined)[] | undefined;
};

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
  const one = (text: string, prefix?: string) => {
    collect(text);
    if (prefix !== undefined) collect(prefix + text);
    return text;
  };
  const together = (several: readonly string[], glue: string) => {
    collect(several.join(glue));
    return undefined;
  };
  visit(() => Object.assign(one, { together }));
  return [...texts];
}
