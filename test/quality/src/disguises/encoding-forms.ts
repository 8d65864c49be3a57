// Encodes the text: whole, in pieces, shifted, nested.
import { listCharacters, splitText, type DisguiseForm } from './disguise-form.ts';

const PIECE = 12;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const MORSE_LETTERS =
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'.split(
    ' ',
  );
const MORSE_DIGITS = '----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.'.split(' ');

const bytes = (text: string): number[] => [...Buffer.from(text, 'utf8')];
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const bits = (text: string): string[] => bytes(text).map((byte) => byte.toString(2).padStart(8, '0'));
const hexBytes = (text: string): string[] => bytes(text).map((byte) => byte.toString(16).padStart(2, '0'));

function base32(text: string): string {
  const letters = splitText(bits(text).join(''), 5).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]);
  return letters.join('').padEnd(Math.ceil(letters.length / 8) * 8, '=');
}

const toMorse = (letter: string): string => {
  if (/\d/.test(letter)) return MORSE_DIGITS[Number(letter)] ?? '';
  return MORSE_LETTERS[letter.charCodeAt(0) - 97] ?? '';
};
const morse = (text: string): string =>
  (text.toLowerCase().match(/[a-z\d]+/g) ?? []).map((word) => listCharacters(word).map(toMorse).join(' ')).join(' / ');

const rotateLetters = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const first = letter < 'a' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });

export const ENCODING_FORMS: Readonly<Record<string, DisguiseForm>> = {
  base64,
  'base64-pieces': (text) => splitText(base64(text), PIECE).join('\n'),
  'base64-shifted': (text) => `Qx${base64(text)}`,
  'base64-nested': (text) => base64(base64(base64(text))),
  base32,
  hex: (text) => hexBytes(text).join(''),
  decimal: (text) => bytes(text).join(' '),
  binary: (text) => bits(text).join(' '),
  morse,
  rot13: rotateLetters,
  entities: (text) =>
    listCharacters(text)
      .map((character) => `&#${character.codePointAt(0)};`)
      .join(''),
  percent: (text) =>
    hexBytes(text)
      .map((hex) => `%${hex}`)
      .join(''),
  'unicode-escapes': (text) =>
    text
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  'hex-escapes': (text) =>
    hexBytes(text)
      .map((hex) => `\\x${hex}`)
      .join(''),
  'literal-newlines': (text) => text.replaceAll(/\s+/g, '\\n'),
  'tag-characters': (text) =>
    `What a nice day. ${text.replaceAll(/[ -~]/g, (character) => String.fromCodePoint(0xe0000 + character.charCodeAt(0)))}`,
};
