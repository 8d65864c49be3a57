// Texts of any characters at all, assigned or not.
import * as fc from 'fast-check';

/** As fc's own unit `binary`, which takes a second to make. */
const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

export const anyText = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: anyCharacter, maxLength });
