// Lets a rule read letters and digits of other fonts (bold, circled, full width) as plain ones, so that a rule depends
// on no processor that normalizes the text before it.
import { compatibleForms, hasCompatibleForm, toPlainForm } from '../text/compatible-forms.ts';
import type { StreamRule } from './text-guard.ts';

export const addCompatibleView = (rule: StreamRule): StreamRule => ({
  ...rule,
  find(text) {
    const view = readCompatible(text);
    if (!view) return rule.find(text);
    const { toTextPlace } = view;
    return rule.find(view.text).map((hit) => ({ ...hit, start: toTextPlace(hit.start), end: toTextPlace(hit.end) }));
  },
  findSettledEnd(text, noted) {
    const view = readCompatible(text);
    return view ? view.toTextPlace(rule.findSettledEnd(view.text, noted)) : rule.findSettledEnd(text, noted);
  },
});

type CompatibleView = { text: string; toTextPlace(at: number): number };

/** Replaces each such character by one plain character; returns undefined if there is none. */
function readCompatible(text: string): CompatibleView | undefined {
  if (!hasCompatibleForm(text)) return undefined;
  /** The ends in the view of the characters that have two code units in the text. */
  const wide: number[] = [];
  const view = text.replace(compatibleForms, (found: string, at: number) => {
    const form = toPlainForm(found);
    // A character with several letters, as a ligature, has no single place.
    if (form.length !== 1) return found;
    if (found.length > 1) wide.push(at + 1 - wide.length);
    return form;
  });
  return { text: view, toTextPlace: (at) => at + countUpTo(wide, at) };
}

/** @param places ascending */
function countUpTo(places: readonly number[], at: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
