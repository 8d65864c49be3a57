// Characters that look like Latin letters: look-alikes of other scripts, small capitals, turned letters, letters in
// boxes and flags. Characters that NFKD maps to a letter (full width, bold, circled) are not listed.
const LOOK_ALIKES: Record<string, string> = {
  a: 'аɑαᴀɐΑАᎪ∂ꭺ',
  b: 'ƅЬвВΒβʙᏏƄъ',
  c: 'ⲥсϲᴄСϹⅽᏟↄɔ¢',
  d: 'ԁᴅⅾᎠɖ',
  e: 'еєεɛᴇЕΕЄᎬәǝɘ℮',
  f: 'ғꜰϝƒɟ',
  g: 'ɡɢᏀցƃԌ',
  h: 'һʜнНΗᎻɥհ',
  i: 'іιɪІΙᎥӏłⅼɩᴉוı',
  j: 'ϳјʝᴊЈᎫɾ',
  k: 'кκᴋКΚᏦʞ',
  l: 'ʟᏞʅ',
  m: 'мᴍМΜᎷɯ',
  n: 'пηɴΝոռ',
  o: 'ⲟоοᴏОΟσօθ૦๐',
  p: 'ⲣрρᴘРΡᏢ',
  q: 'ԛզ',
  r: 'гʀᎡɹя',
  s: 'ѕꜱЅᏚʂ',
  t: 'тτᴛТΤᎢʇ',
  u: 'цυᴜսʋµ',
  v: 'ѵνᴠᏙʌ',
  w: 'ԝѡωᴡшᎳʍա',
  x: 'хχΧХ×',
  y: 'уγʏУΥҮʎ',
  z: 'ᴢΖᏃʐ',
};

const letters = new Map<number, string>();
for (const [letter, others] of Object.entries(LOOK_ALIKES)) {
  for (const other of others) letters.set(other.codePointAt(0) ?? 0, letter);
}

/** Rows of 26 letters, by the code point of their A. */
const ROWS = [0x1f1e6, 0x1f130, 0x1f150, 0x1f170, 0x24b6, 0x24d0, 0x1f110, 0x249c];

/** Returns the Latin letter that a character looks like, if any. */
export function findSimilarLetter(codePoint: number): string | undefined {
  const known = letters.get(codePoint);
  if (known !== undefined) return known;
  if (codePoint < 0x249c) return undefined;
  const row = ROWS.find((first) => codePoint >= first && codePoint < first + 26);
  return row === undefined ? undefined : String.fromCharCode(97 + codePoint - row);
}
