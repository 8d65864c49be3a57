// Decodes spelled letters: Morse and Braille signs, letter numbers, radio words, and pig latin.
const MORSE = new Map(
  '.- a|-... b|-.-. c|-.. d|. e|..-. f|--. g|.... h|.. i|.--- j|-.- k|.-.. l|-- m|-. n|--- o|.--. p|--.- q|.-. r|... s|- t|..- u|...- v|.-- w|-..- x|-.-- y|--.. z'
    .split('|')
    .map((pair) => {
      const [sign = '', letter = ''] = pair.split(' ');
      return [sign, letter] as const;
    }),
);

/** One space separates letters; more spaces or a slash separate words. */
export function decodeMorse(text: string): string {
  const words = text
    .replace(/[\u00b7\u2022]/g, '.')
    .replace(/[_\u2212\u2013\u2014]/g, '-')
    .split(/\s*[/|]\s*|\s{2,}/);
  return words
    .map((word) =>
      word
        .split(' ')
        .map((sign) => MORSE.get(sign) ?? '')
        .join(''),
    )
    .join(' ');
}

/** Dots of a to z, by their number in the block of Braille patterns. */
const BRAILLE = [1, 3, 9, 25, 17, 11, 27, 19, 10, 26, 5, 7, 13, 29, 21, 15, 31, 23, 14, 30, 37, 39, 58, 45, 61, 53];

export const decodeBraille = (text: string): string =>
  Array.from(text, (sign) => {
    const letter = BRAILLE.indexOf((sign.codePointAt(0) ?? 0) - 0x2800);
    return letter < 0 ? ' ' : String.fromCharCode(97 + letter);
  }).join('');

/**
 * 9 7 14: "ign". Ignores slashes, bars and double spaces between words, because letters are matched without boundaries.
 */
export const decodeAlphabetWords = (text: string): string =>
  (text.match(/\d+/g) ?? []).map((number) => String.fromCharCode(96 + Number(number))).join('');

export const NATO_WORDS: ReadonlySet<string> = new Set(
  'alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu'.split(
    ' ',
  ),
);

export function decodeNatoWords(text: string): string {
  const words = text
    .toLowerCase()
    .replaceAll('x-ray', 'xray')
    .split(/[^a-z]+/);
  const known = words.filter((word) => NATO_WORDS.has(word));
  return known.length * 2 < words.length
    ? ''
    : words.map((word) => (NATO_WORDS.has(word) ? word.charAt(0) : ' ')).join('');
}

const ONSET = /(?:s[cpt]r|thr|[bcdfgkpstw]r|[bcfgkps]l|s[cqkmnptw]|[cpstw]h|tw|qu|[b-df-hj-np-tv-z])$/;

/** Moves the ending before "ay" back to the start of the word. */
export const decodePigLatin = (text: string): string =>
  text.toLowerCase().replace(/([a-z'-]{1,18}?)([wy]?)ay\b/g, (_, stem: string, glide: string) => {
    if (glide !== '') return stem;
    const onset = ONSET.exec(stem)?.[0] ?? '';
    return onset + stem.slice(0, stem.length - onset.length);
  });
