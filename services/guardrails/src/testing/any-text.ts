// Generates texts of any characters, assigned or not.
import * as fc from 'fast-check';

/** Equivalent to fast-check's unit `binary`, which takes a second to create. */
const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

export const arbitraryText = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: anyCharacter, maxLength });
