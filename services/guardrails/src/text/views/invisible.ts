// Removes invisible characters, and decodes the text that they encode.
import { joinStretches, replaceMatches, type DerivedText } from './derived-text.ts';

const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+/gu;

export const removeInvisible = (text: string): DerivedText => replaceMatches(text, invisible, () => '');

/** One letter each: the tag characters that mirror ASCII, and variation selectors, which count to 256. */
const tags = /[\u{e0020}-\u{e007e}]+/gu;
const selectors = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{8,}/gu;
/** Two of them encode bits. */
const bits = /[\u200b-\u200d\u2060-\u2064\ufeff\u00ad\u180e]{64,}/gu;

export function decodeHidden(text: string): [code: string, derived: DerivedText][] {
  if (!/\p{Default_Ignorable_Code_Point}/u.test(text)) return [];
  return [
    ['tag characters', decodeRuns(text, tags, (run) => mapCodePoints(run, (codePoint) => codePoint - 0xe0000))],
    [
      'variation selectors',
      decodeRuns(text, selectors, (run) => Buffer.from(Array.from(run, readSelectorByte)).toString('utf8')),
    ],
    ['zero width', decodeRuns(text, bits, packBits)],
  ];
}

const decodeRuns = (text: string, pattern: RegExp, decode: (run: string) => string): DerivedText =>
  joinStretches(
    [...text.matchAll(pattern)].map(({ 0: run, index }) => ({
      text: decode(run),
      span: { start: index, end: index + run.length },
    })),
    '',
  );

const mapCodePoints = (run: string, map: (codePoint: number) => number): string =>
  Array.from(run, (character) => String.fromCodePoint(map(character.codePointAt(0) ?? 0))).join('');

function readSelectorByte(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  return codePoint < 0x10000 ? codePoint - 0xfe00 : codePoint - 0xe0100 + 16;
}

function packBits(run: string): string {
  const zero = run.charAt(0);
  const digits = Array.from(run, (character) => (character === zero ? '0' : '1')).join('');
  const bytes = digits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString('utf8');
}
