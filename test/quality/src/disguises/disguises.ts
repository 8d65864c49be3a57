// Forty forms of one attack. What a form does not change, it does not disguise: a text without Latin letters has no homoglyphs.
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

/** Forms that only Latin letters have: a text of another script would lose what it says, or keep it as it is. */
const LATIN_ONLY = new Set([...Object.keys(LETTER_FORMS), 'morse', 'rot13', 'tag-characters']);
const MIN_LATIN = 0.9;

/** The messages of the text in the form. undefined: it has none. */
export function disguised(form: string, text: string): readonly string[] | undefined {
  const disguise = DISGUISES[form];
  if (!disguise || (LATIN_ONLY.has(form) && latinShare(text) < MIN_LATIN)) return undefined;
  const given = disguise(text);
  const messages = typeof given === 'string' ? [given] : given;
  return messages.length === 1 && messages[0] === text ? undefined : messages;
}

const latinShare = (text: string): number => {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.length === 0 ? 0 : letters.filter((letter) => /[a-z]/i.test(letter)).length / letters.length;
};
