// Folds a text for detectors: full-width and foreign digits to ASCII, every kind of space to a space, every kind of
// dash to a dash, invisible characters to a dash, JSON's escapes of white space to spaces. Each code unit becomes
// exactly one, so a place in the view is the same place in the text.
const FULL_WIDTH = 0xfee0;
/** Zeros of common digit rows in the basic plane: Arabic-Indic, Persian, Devanagari. */
const ZEROS = [0x0660, 0x06f0, 0x0966];

const foldable =
  /[\uff01-\uff5e\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u00a0\u2000-\u200a\u202f\u205f\u3000\u2010-\u2015\u2212\ufe58\ufe63\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const spaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/;
/** Tool arguments are streamed as JSON text, in which an escaped line break before a number looks like a letter. */
const jsonEscape = /\\[\\nrt"]/g;
// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
const beyondAscii = /[^\x00-\x7f]/;

export function fold(text: string): string {
  const folded = beyondAscii.test(text) ? text.replace(foldable, foldCharacter) : text;
  return foldEscapes(folded);
}

/** Folds only the escapes. */
export function foldEscapes(text: string): string {
  return text.includes('\\') ? text.replace(jsonEscape, (escape) => (escape === '\\\\' ? escape : '  ')) : text;
}

function foldCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - FULL_WIDTH);
  const zero = ZEROS.find((first) => code >= first && code <= first + 9);
  if (zero !== undefined) return String(code - zero);
  return spaces.test(character) ? ' ' : '-';
}
