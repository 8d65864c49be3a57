// Segment rules for personal data. In prose each word is a segment; a segment continues over a gap only after a part of
// a number, an IBAN, a URL, an address, or after a word that opens a context ("born", "call me at").
import type { OpenSegment, SegmentRules } from '../../segments/segment-end.ts';
import {
  BIRTH_WINDOW,
  isBirthWord,
  isConnector,
  isNearWord,
  isOpener,
  isPhoneWord,
  NEAR_WINDOW,
  PHONE_WINDOW,
} from './context-words.ts';
import { MAX_GAP } from './digit-runs.ts';
import { IBAN_SPAN, startsIban } from './detectors/iban.ts';

/** Maximum length of a hit with its context. URLs are the longest; their end is found in the next segment. */
const MAX_MATCH = 320;
export const MAX_SEGMENT = 1_024;

const endsUrl = /[\s"<>`]/;
const opensUrl = /:\/\/|^www\./i;
const endsNumber = /\d[-./()_*~'\\+:]{0,4}$/;
/** Separator between the groups of a number: a single dash, emphasis. */
const loneSeparator = /^[-./()+_*~'\\]{1,6}$/;
/** Words before the extension of a phone number. */
const extension = /^(?:x|ext|extension|poste|durchwahl|apt)[.:]?$/i;
const inNumber = /[\s,;|"`]/;
/** "ada [at] example [dot] com" */
const spokenSign = /^\(?(?:at|dot|punkt|arroba|@|\.)\)?$/i;
const MAX_SIGN_GAP = 3;
const brackets = /[[({<]/;

/** @param findCutPlace of the detectors */
export const createPiiSegments = (findCutPlace: SegmentRules['findCutPlace']): SegmentRules => ({
  maxSegment: MAX_SEGMENT,
  maxMatch: MAX_MATCH,
  readWord,
  continuesAfter,
  reopensBefore,
  findCutPlace,
});

function readWord(open: OpenSegment, word: string, end: number): void {
  open.number = endsNumber.test(word) || (open.number && (loneSeparator.test(word) || extension.test(word)));
  open.url ||= opensUrl.test(word);
  open.bracket = spokenSign.test(word) && (open.bracket || word.startsWith('('));
  if (startsIban(word)) open.until = Math.max(open.until, end + IBAN_SPAN);
  const letters = word.toLowerCase().replace(/[^\p{L}]/gu, '');
  if (letters === '') return;
  if (isBirthWord(letters)) open.until = Math.max(open.until, end + BIRTH_WINDOW);
  if (isPhoneWord(letters)) open.until = Math.max(open.until, end + PHONE_WINDOW);
  if (isNearWord(word)) open.until = Math.max(open.until, end + NEAR_WINDOW);
  open.context = isOpener(letters) || (open.context && isConnector(letters));
}

function continuesAfter(open: OpenSegment, separator: string, end: number): boolean {
  open.number &&= open.gap <= MAX_GAP && inNumber.test(separator);
  open.url &&= !endsUrl.test(separator);
  // A bracket after a word, a quotation mark before one: "ada[at]example.com", '"ada"@example.com'.
  if (open.gap === 1 && !open.word) open.bracket ||= separator === '"';
  if (open.gap <= 2 && open.word) open.bracket ||= brackets.test(separator);
  open.bracket &&= open.gap <= MAX_SIGN_GAP;
  return open.number || open.url || open.bracket || open.context || end < open.until;
}

/** `"ada l"@example.com`, and the start of "ada [at] example.com". */
function reopensBefore(open: OpenSegment, separator: string, next: string): boolean {
  if (next === '@') return separator === '"';
  open.bracket = open.gap === 1 && separator === ' ' && brackets.test(next);
  return open.bracket;
}
