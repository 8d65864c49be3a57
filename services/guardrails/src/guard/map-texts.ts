// Collects the texts of a value to judge them together, then puts the results back, in two visits of the value. So a
// call has one budget, and a worker judges its long texts in one job.
import type { JsonObject } from '@millrace/contracts';
import { BOUNDS, BoundExceeded, sumLengths } from '../work/bounds.ts';

export type MapText = {
  /** @param prefix name of the text ("ssn: "), judged before it and not part of the result */
  (text: string, prefix?: string): string;
  /**
   * Judges texts that may form a hit together and returns each result; undefined for texts without a hit across their
   * ends, and for all if there is none.
   */
  judgeTogether(texts: readonly string[], glue: '' | '\n'): readonly (string | undefined)[] | undefined;
};

/** Visits a value and maps its texts. @param mapAt takes the place of the texts for the report */
export type Visit<T> = (mapAt: (where: JsonObject) => MapText) => T;

/** Returns each text of the visit once, with and without its prefix. @throws BoundExceeded */
export function collectVisitTexts(visit: Visit<unknown>): string[] {
  const texts = new Set<string>();
  let cost = 0;
  const collect = (text: string) => {
    if (text === '' || texts.has(text)) return;
    texts.add(text);
    cost += sumLengths([text]);
    if (cost > BOUNDS.characters) throw new BoundExceeded('characters');
  };
  const collectOne = (text: string, prefix?: string) => {
    collect(text);
    if (prefix !== undefined) collect(prefix + text);
    return text;
  };
  const collectTogether = (several: readonly string[], glue: string) => {
    collect(several.join(glue));
    return undefined;
  };
  visit(() => Object.assign(collectOne, { judgeTogether: collectTogether }));
  return [...texts];
}
