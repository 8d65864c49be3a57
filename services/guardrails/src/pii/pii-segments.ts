// How a text is cut where personal data is looked for. In prose every word is a segment; a segment goes on over a gap only where
// a number, an IBAN, a URL, an address or a word that opens a context ("born", "call me at") could go on.
import type { Open, SegmentRules } from '../segments/segment-end.ts';
import { BIRTH_WINDOW, isBirthWord, isConnector, isOpener, isPhoneWord, PHONE_WINDOW } from './context-words.ts';
import { MAX_GAP } from './digit-runs.ts';
import { IBAN_SPAN, opensIban } from './iban-countries.ts';

/** The longest hits with their context: URLs, whose end is found in the next segment. */
const MAX_MATCH = 320;
export const MAX_SEGMENT = 1_024;

const endsUrl = /[\s"<>`]/;
const opensUrl = /:\/\/|^www\./i;
const endsNumber = /\d[-./()_*~'\\+:]{0,4}$/;
/** Between the groups of a number: a dash on its own, emphasis. */
const loneSeparator = /^[-./()+_*~'\\]{1,6}$/;
/** A phone number's extension goes on behind this word. */
const extension = /^(?:x|ext|extension|poste|durchwahl|apt)[.:]?$/i;
const inNumber = /[\s,;|"`]/;
/** "ada [at] example [dot] com" */
const spokenSign = /^\(?(?:at|dot|punkt|arroba|@|\.)\)?$/i;
const MAX_SIGN_GAP = 3;
const brackets = /[[({<]/;

/** @param cutPlace what the detectors say */
export const piiSegments = (cutPlace: SegmentRules['cutPlace']): SegmentRules => ({
  maxSegment: MAX_SEGMENT,
  maxMatch: MAX_MATCH,
  readWord,
  goesOn,
  takesBack,
  cutPlace,
});

function readWord(open: Open, word: string, end: number): void {
  open.number = endsNumber.test(word) || (open.number && (loneSeparator.test(word) || extension.test(word)));
  open.url ||= opensUrl.test(word);
  open.bracket = spokenSign.test(word) && (open.bracket || word.startsWith('('));
  if (opensIban(word)) open.until = Math.max(open.until, end + IBAN_SPAN);
  const letters = word.toLowerCase().replace(/[^\p{L}]/gu, '');
  if (letters === '') return;
  if (isBirthWord(letters)) open.until = Math.max(open.until, end + BIRTH_WINDOW);
  if (isPhoneWord(letters)) open.until = Math.max(open.until, end + PHONE_WINDOW);
  open.context = isOpener(letters) || (open.context && isConnector(letters));
}

function goesOn(open: Open, separator: string, end: number): boolean {
  open.number &&= open.gap <= MAX_GAP && inNumber.test(separator);
  open.url &&= !endsUrl.test(separator);
  // A bracket behind a word, a quote before one: "ada[at]example.com", '"ada"@example.com'.
  if (open.gap === 1) open.bracket ||= open.word ? brackets.test(separator) : separator === '"';
  open.bracket &&= open.gap <= MAX_SIGN_GAP;
  return open.number || open.url || open.bracket || open.context || end < open.until;
}

/** `"ada l"@example.com`, and what may be "ada [at] example.com". */
function takesBack(open: Open, separator: string, next: string): boolean {
  if (next === '@') return separator === '"';
  open.bracket = open.gap === 1 && separator === ' ' && brackets.test(next);
  return open.bracket;
}
