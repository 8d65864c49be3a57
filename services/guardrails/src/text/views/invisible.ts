// Characters that nobody sees: left out of what is read, and read for what they spell.
import { gathering, replacing, type DerivedText } from './derived-text.ts';

const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+/gu;

export const visible = (text: string): DerivedText => replacing(text, invisible, () => '');

/** A letter each: the tag characters that mirror ASCII, and variation selectors, which count to 256. */
const tags = /[\u{e0020}-\u{e007e}]+/gu;
const selectors = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{8,}/gu;
/** Two of them are bits. */
const bits = /[\u200b-\u200d\u2060-\u2064\ufeff\u00ad\u180e]{64,}/gu;

export function hiddenCharacters(text: string): [code: string, derived: DerivedText][] {
  if (!/\p{Default_Ignorable_Code_Point}/u.test(text)) return [];
  return [
    ['tag characters', read(text, tags, (run) => mapped(run, (codePoint) => codePoint - 0xe0000))],
    [
      'variation selectors',
      read(text, selectors, (run) => Buffer.from(Array.from(run, selectorByte)).toString('utf8')),
    ],
    ['zero width', read(text, bits, bytesOfBits)],
  ];
}

const read = (text: string, pattern: RegExp, decode: (run: string) => string): DerivedText =>
  gathering(
    [...text.matchAll(pattern)].map(({ 0: run, index }) => ({
      text: decode(run),
      span: { start: index, end: index + run.length },
    })),
    '',
  );

const mapped = (run: string, map: (codePoint: number) => number): string =>
  Array.from(run, (character) => String.fromCodePoint(map(character.codePointAt(0) ?? 0))).join('');

function selectorByte(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  return codePoint < 0x10000 ? codePoint - 0xfe00 : codePoint - 0xe0100 + 16;
}

function bytesOfBits(run: string): string {
  const zero = run.charAt(0);
  const digits = Array.from(run, (character) => (character === zero ? '0' : '1')).join('');
  const bytes = digits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString('utf8');
}
