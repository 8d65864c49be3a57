// The texts that a text may be read as: as it stands, without markup and escapes, with its literals joined, and what it says in another
// code, each of them again, as deep as people nest them. Every view knows where it came from. All of them together have a budget: what is
// over it is not judged, and the caller blocks it by name.
import { decodingsOf } from './decodings.ts';
import { disguisesIn } from './disguises.ts';
import { within, type DerivedText } from './derived-text.ts';
import { hiddenCharacters, visible } from './invisible.ts';
import { literalsOf } from './literals.ts';
import { withoutMarkup } from './markup.ts';
import { shiftsOf } from './shifts.ts';

/** `codes`: how it is said, from the outside in; none for the text as it stands. */
export type View = DerivedText & { codes: readonly string[] };

/** A code within a code within a code. */
const MAX_DEPTH = 3;

/** Words in these are not certain to end where they seem to, nor to be spelled right. */
const DISGUISES = new Set([
  'letters apart',
  'signs inside',
  'digits for letters',
  'backwards',
  'words backwards',
  'last word first',
]);
export const isDisguised = ({ codes }: View): boolean => codes.some((code) => DISGUISES.has(code));

/** @param spend called with the length of every view; throws where that is too much */
export function viewsOf(text: string, spend: (characters: number) => void): View[] {
  const views: View[] = [];
  const seen = new Set<string>();
  const add = (view: View, depth: number): void => {
    if (view.text === '' || seen.has(view.text)) return;
    spend(view.text.length);
    seen.add(view.text);
    views.push(view);
    if (depth >= MAX_DEPTH) return;
    for (const [code, derived] of derivedFrom(view)) {
      add({ ...within(view, derived), codes: [...view.codes, code] }, depth + 1);
    }
  };
  add({ ...visible(text), codes: [] }, 0);
  for (const [code, derived] of hiddenCharacters(text)) add({ ...derived, codes: [code] }, 1);
  return views;
}

function* derivedFrom({ text, codes }: View): Generator<readonly [code: string, derived: DerivedText]> {
  yield ['markup', withoutMarkup(text)];
  // Without its marks a text has the literals that it had with them.
  if (codes.at(-1) !== 'markup') yield ['literals', literalsOf(text)];
  if (!codes.some((code) => DISGUISES.has(code))) yield* disguisesIn(text);
  yield* decodingsOf(text);
  yield* shiftsOf(text);
}
