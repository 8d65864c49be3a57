// Encodes the text: whole, in pieces, shifted, nested.
import { listCharacters, splitText, type DisguiseForm } from './disguise-form.ts';

const PIECE = 12;

const bytes = (text: string): number[] => [...Buffer.from(text, 'utf8')];
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const bits = (text: string): string[] => bytes(text).map((byte) => byte.toString(2).padStart(8, '0'));
const hexBytes = (text: string): string[] => bytes(text).map((byte) => byte.toString(16).padStart(2, '0'));

export const ENCODING_FORMS: Readonly<Record<string, DisguiseForm>> = {
  base64,
  'base64-pieces': (text) => splitText(base64(text), PIECE).join('\n'),
  'base64-shifted': (text) => `Qx${base64(text)}`,
  'base64-nested': (text) => base64(base64(base64(text))),
  hex: (text) => hexBytes(text).join(''),
  decimal: (text) => bytes(text).join(' '),
  binary: (text) => bits(text).join(' '),
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
