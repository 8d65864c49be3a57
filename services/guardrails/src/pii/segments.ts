// Where a text can be cut so that no personal data stands on both sides: the stream's hold-back. A text *is* its segments, each
// judged alone, and where one ends depends on nothing before its start and nothing after its end. So a text that comes in
// pieces is judged exactly as it is judged whole. In prose every word is a segment; a segment goes on over a gap only where a
// number, an IBAN, an address or a word that opens a context ("born", "call me at") could go on.
import { wholeCharacter } from '../text/span.ts';
import { BIRTH_WINDOW, isBirthWord, isConnector, isOpener } from './context-words.ts';
import { IBAN_SPAN, opensIban } from './iban-countries.ts';

/** No hit with its context is longer, code units. The longest: URL credentials. */
const MAX_MATCH = 320;
/** The most that is ever held back, code units: an overlong segment is cut where no hit stands. */
export const MAX_SEGMENT = 1_024;

/** The place nearest to `at` where an overlong text can be cut without parting a hit or its context. More than 0. */
export type CutPlace = (text: string, at: number) => number;

/** Never part of personal data, but for a URL's credentials. */
const separator = /[\s,;"`<>|{}[\]=]/g;
const opensAuthority = /:\/\/[^\s/?#"<>]*$/;
const endsAuthority = /[/?#]/;
const endsUrl = /[\s"<>]/;
const endsNumber = /\d[-./()]{0,2}$/;
const loneSeparator = /^[-./()+]{1,2}$/;
/** Spaces between two groups of one number. */
const MAX_NUMBER_GAP = 2;

/** Why a segment goes on after a separator. */
type Open = { until: number; number: boolean; url: boolean; context: boolean; gap: number };

/** Where the segment ends that begins at `start`; undefined while that depends on what follows. @param text folded */
export function segmentEnd(text: string, start: number, cutPlace: CutPlace): number | undefined {
  const open: Open = { until: start, number: false, url: false, context: false, gap: 0 };
  for (let from = start; ;) {
    separator.lastIndex = from;
    const at = separator.exec(text)?.index;
    // Up to here nothing ends it.
    if ((at ?? text.length) - start >= MAX_SEGMENT) return forcedEnd(text, start, cutPlace);
    if (at === undefined) return undefined;
    if (at > from) readWord(open, text.slice(from, at), at);
    if (!goesOn(open, text.charAt(at), at)) return at + 1;
    from = at + 1;
  }
}

function readWord(open: Open, word: string, at: number): void {
  open.gap = 0;
  open.number = endsNumber.test(word) || (open.number && loneSeparator.test(word));
  open.url = opensAuthority.test(word) || (open.url && !endsAuthority.test(word));
  if (opensIban(word)) open.until = Math.max(open.until, at + IBAN_SPAN);
  const letters = word.toLowerCase().replace(/[^a-z]/g, '');
  if (isBirthWord(letters)) open.until = Math.max(open.until, at + BIRTH_WINDOW);
  open.context = isOpener(letters) || (open.context && isConnector(letters));
}

function goesOn(open: Open, separator: string, at: number): boolean {
  open.gap += 1;
  open.number &&= separator === ' ' && open.gap <= MAX_NUMBER_GAP;
  open.url &&= !endsUrl.test(separator);
  return open.number || open.url || open.context || at + 1 < open.until;
}

/** So early that every hit before that place has been seen whole. */
function forcedEnd(text: string, start: number, cutPlace: CutPlace): number {
  const window = text.slice(start, start + MAX_SEGMENT);
  const at = wholeCharacter(window, cutPlace(window, MAX_SEGMENT - MAX_MATCH));
  const beforeEscape = window.slice(0, at).replace(/\\+$/, '').length;
  return start + (beforeEscape > 0 ? beforeEscape : at);
}
