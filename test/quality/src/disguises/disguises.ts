// Forty disguises of an attack. A form that does not change the text is not a disguise: a text without Latin letters
// has no homoglyphs.
import type { DisguiseForm } from './disguise-form.ts';
import { ENCODING_FORMS } from './encoding-forms.ts';
import { LETTER_FORMS } from './letter-forms.ts';
import { SPACING_FORMS } from './spacing-forms.ts';
import { WRAPPING_FORMS } from './wrapping-forms.ts';

export const DISGUISES: Readonly<Record<string, DisguiseForm>> = {
  ...LETTER_FORMS,
  ...SPACING_FORMS,
  ...ENCODING_FORMS,
  ...WRAPPING_FORMS,
};

/** Disguises for Latin letters only: a text of another script would lose its meaning, or stay unchanged. */
const LATIN_ONLY = new Set([...Object.keys(LETTER_FORMS), 'tag-characters']);
const MIN_LATIN = 0.9;

/** Returns the messages of the disguised text, or undefined if the text has no such form. */
export function disguiseText(form: string, text: string): readonly string[] | undefined {
  const disguise = DISGUISES[form];
  if (!disguise || (LATIN_ONLY.has(form) && measureLatinShare(text) < MIN_LATIN)) return undefined;
  const given = disguise(text);
  const messages = typeof given === 'string' ? [given] : given;
  return messages.length === 1 && messages[0] === text ? undefined : messages;
}

const measureLatinShare = (text: string): number => {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.length === 0 ? 0 : letters.filter((letter) => /[a-z]/i.test(letter)).length / letters.length;
};
