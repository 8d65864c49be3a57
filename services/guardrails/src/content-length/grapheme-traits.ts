// What the rules for graphemes (UAX 29) have to know of a character. Asked of the runtime's own segmenter, once for each character, so that both
// always mean the same version of Unicode.

/** Bits. What stands before or behind it, and stays one grapheme with it. */
export const TRAITS = {
  /** Joins what stands before it: marks, joiners. */
  joins: 1,
  /** What follows joins it, whatever it is. */
  leads: 2,
  /** Joins nothing, and nothing joins it; so do line feed and carriage return, but for each other. */
  control: 4,
  flag: 8,
  picture: 16,
  /** Pictures on both its sides are one. */
  joinsPictures: 32,
  /** May stand between a picture and such a joiner. */
  keepsPicture: 64,
  /** Of a script that joins consonants. */
  consonant: 128,
  /** Consonants on both its sides are one. */
  linksConsonants: 256,
  /** May stand between consonant, link and consonant. */
  keepsConsonant: 512,
  /** Hangul: what may follow it (a first letter, a vowel, a last letter), and what it may follow. */
  beforeFirst: 1_024,
  beforeVowel: 2_048,
  beforeLast: 4_096,
  afterFirst: 8_192,
  afterVowel: 16_384,
  afterLast: 32_768,
} as const;
type Trait = keyof typeof TRAITS;

const [LETTER, MARK, PICTURE, JOINER, FLAG, CONSONANT, LINK] = ['a', '\u0301', '👩', '\u200d', '🇩', 'क', '्'];
const [FIRST, VOWEL, LAST] = ['\u1100', '\u1160', '\u11a8'];

/** What is one grapheme where a character has the trait. */
const PROBES: readonly [Trait, (character: string) => string][] = [
  ['joins', (it) => LETTER + it],
  ['leads', (it) => it + LETTER],
  ['flag', (it) => FLAG + it],
  ['picture', (it) => PICTURE + JOINER + it],
  ['joinsPictures', (it) => PICTURE + it + PICTURE],
  ['keepsPicture', (it) => PICTURE + it + JOINER + PICTURE],
  ['consonant', (it) => CONSONANT + LINK + it],
  ['linksConsonants', (it) => CONSONANT + it + CONSONANT],
  ['keepsConsonant', (it) => CONSONANT + LINK + it + CONSONANT],
  ['beforeFirst', (it) => it + FIRST],
  ['beforeVowel', (it) => it + VOWEL],
  ['beforeLast', (it) => it + LAST],
  ['afterFirst', (it) => FIRST + it],
  ['afterVowel', (it) => VOWEL + it],
  ['afterLast', (it) => LAST + it],
];
/** What joins everything has these anyway. */
const MEANINGLESS_FOR = {
  joins: ['flag', 'picture', 'consonant', 'afterFirst', 'afterVowel', 'afterLast'],
  leads: ['beforeFirst', 'beforeVowel', 'beforeLast'],
} as const;

/** Without any trait: all that is not asked for. Of letters those of scripts that have many. */
const plain =
  /[[\p{N}\p{P}\p{S}\p{Co}\p{Cn}\p{Lu}\p{Ll}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Tang}\p{sc=Yiii}]--[\p{M}\p{RI}\p{Emoji_Modifier}\p{Extended_Pictographic}\p{Default_Ignorable_Code_Point}]]/v;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const BLOCK = 256;
const KNOWN = 65_536;
const blocks: (Uint32Array | undefined)[] = [];

export function traitsOf(codePoint: number): number {
  const block = (blocks[codePoint >>> 8] ??= new Uint32Array(BLOCK));
  const known = block[codePoint & 255] ?? 0;
  if (known !== 0) return known & ~KNOWN;
  const traits = foundTraits(codePoint);
  block[codePoint & 255] = traits | KNOWN;
  return traits;
}

const SYLLABLES = { first: 0xac00, last: 0xd7a3, ofVowel: 28 };

function foundTraits(codePoint: number): number {
  const { first, last, ofVowel } = SYLLABLES;
  if (codePoint >= first + ofVowel && codePoint <= last) return traitsOf(first + ((codePoint - first) % ofVowel));
  const character = String.fromCodePoint(codePoint);
  if (plain.test(character)) return 0;
  if (character === '\r' || character === '\n') return TRAITS.control;
  return probed(character);
}

/** All at once: a line each, since a line feed always parts. */
function probed(character: string): number {
  const isMarked = character + MARK;
  const lines = [isMarked, ...PROBES.map(([, probe]) => probe(character))];
  const graphemes = new Set(Array.from(segmenter.segment(lines.join('\n')), ({ segment }) => segment));
  if (!graphemes.has(isMarked)) return TRAITS.control;
  const traits = new Set(PROBES.filter(([, probe]) => graphemes.has(probe(character))).map(([trait]) => trait));
  for (const by of ['joins', 'leads'] as const) {
    if (traits.has(by)) for (const trait of MEANINGLESS_FOR[by]) traits.delete(trait);
  }
  return [...traits].reduce((bits, trait) => bits | TRAITS[trait], 0);
}
