// Replaces placeholders in a text, in one pass. Pure.

/** `isOutside`: the caller has sent the text. */
export type PlaceholderValue = { text: string; isOutside: boolean };
export type FilledText = { text: string; isOutside: boolean; unknown: string[]; isTooLong: boolean };

/** Names have the form of `referenceSchema`. */
const PLACEHOLDER = /(\\?)\{([A-Za-z][\w-]{0,63})\}/g;
/** Maximum length of the result: a short text can contain a long value many times. */
const MAX_LENGTH = 1_048_576;

/** @returns `unknown`: the names of placeholders without a value, which stay */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, PlaceholderValue>): FilledText {
  const unknown = new Set<string>();
  let isOutside = false;
  let length = text.length;
  const filled = text.replaceAll(PLACEHOLDER, (given: string, escape: string, name: string) => {
    if (escape !== '') return given.slice(1);
    const value = values.get(name);
    if (!value) {
      unknown.add(name);
      return given;
    }
    length += value.text.length;
    if (length > MAX_LENGTH) return '';
    isOutside ||= value.isOutside;
    return value.text;
  });
  return { text: filled, isOutside, unknown: [...unknown], isTooLong: length > MAX_LENGTH };
}
