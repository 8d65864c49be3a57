// Characters that are other forms of plain ones: full width, bold, circled, superscript, ligatures, wide spaces. A guard
// reads them as plain ones, so that it depends on no processor that normalizes the text before it.

/** Rows of Unicode with such characters. */
const ROWS =
  '\\u00a0\\u00aa\\u00b2-\\u00ba\\u1d2c-\\u1d6a\\u2000-\\u200a\\u2024-\\u2026\\u202f\\u205f\\u2070-\\u209c\\u2100-\\u218f\\u2460-\\u24ff\\u3000\\u3300-\\u33ff\\ufb00-\\ufb06\\ufe50-\\ufe6b\\uff01-\\uff5e\\u{1d400}-\\u{1d7ff}\\u{1f100}-\\u{1f169}';
const mayHaveForm = new RegExp(`[${ROWS}]`, 'u');
export const compatibleForms = new RegExp(`[${ROWS}]`, 'gu');
const plain = /^[\x20-\x7e]+$/;

export const hasCompatibleForm = (text: string): boolean => mayHaveForm.test(text);

/** Returns the plain form of a character, or the character if it has none. */
export function toPlainForm(character: string): string {
  const form = character.normalize('NFKC');
  return plain.test(form) ? form : character;
}
