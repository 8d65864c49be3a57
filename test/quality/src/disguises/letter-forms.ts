// Replaces letters by similar characters.
import type { DisguiseForm } from './disguise-form.ts';

const ASCII = 'abcdefghijklmnopqrstuvwxyz';
const SMALL_CAPITALS = 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡxʏᴢ';
/** Cyrillic and Greek letters, each below the similar Latin one. */
const LOOKED_LIKE = 'acdehijopqswxyABCEHIKMOPSTXY';
const LOOKALIKES = 'асԁеһіјорԛѕԝхуАВСЕНІКМОРЅТХΥ';
const DIGITS: Readonly<Record<string, string>> = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' };

const mapLetters = (text: string, map: (letter: string) => string | undefined): string =>
  text.replaceAll(/[a-z]/gi, (letter) => map(letter) ?? letter);

/** Maps letters to another Unicode alphabet, by the code points of its A and a. */
const alphabet = (upper: number, lower: number) => (text: string) =>
  mapLetters(text, (letter) => {
    const at = ASCII.indexOf(letter.toLowerCase());
    return String.fromCodePoint((letter === ASCII[at] ? lower : upper) + at);
  });

export const LETTER_FORMS: Readonly<Record<string, DisguiseForm>> = {
  homoglyphs: (text) => mapLetters(text, (letter) => LOOKALIKES[LOOKED_LIKE.indexOf(letter)]),
  leet: (text) => mapLetters(text, (letter) => DIGITS[letter.toLowerCase()]),
  'small-capitals': (text) => mapLetters(text, (letter) => SMALL_CAPITALS[ASCII.indexOf(letter.toLowerCase())]),
  'full-width': alphabet(0xff21, 0xff41),
  mathematical: alphabet(0x1d400, 0x1d41a),
  circled: alphabet(0x24b6, 0x24d0),
  accents: (text) => text.replaceAll(/[aeiou]/gi, '$&\u0301').normalize('NFC'),
};
