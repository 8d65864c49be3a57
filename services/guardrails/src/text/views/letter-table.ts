// Replaces letters by a table, with one look-up per character.

/** @param map 0 to 25; the case stays */
export function createLetterTable(map: (letter: number) => number): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, unit) => {
    const letter = (unit | 32) - 97;
    const isLetter = unit >= 65 && letter >= 0 && letter < 26;
    return isLetter ? unit - letter + map(letter) : unit;
  });
}

/** Keeps characters beyond ASCII. */
export function replaceLetters(text: string, table: Uint8Array): string {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    units[at] = table[unit] ?? unit;
  }
  return Buffer.from(units.buffer).toString('utf16le');
}
