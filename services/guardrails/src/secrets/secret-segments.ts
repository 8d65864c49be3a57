// How a text is cut where secrets are looked for: a word, a name with its sign and its value, a private key with all its lines.
import type { Open, SegmentRules } from '../segments/segment-end.ts';
import { isSecretName, signWord } from './secret-names.ts';

/** Code units. A key or token that is longer is found up to there. */
const MAX_SEGMENT = 4_096;
/** The largest private keys that are in use have some 13,000. */
export const MAX_BLOCK = 16_384;
const MAX_MATCH = 512;
/** How far behind a name and its sign a value may go over what would end it: quotes, commas. Code units. */
const VALUE_WINDOW = 96;
/** Between a name and its sign, and between that and its value. */
const MAX_GAP = 3;

const sign = /(?:=>|:=|[:=|]|->)$/;
const opensUrl = /:\/\/[^\s/?#]*$/;
const endsUrl = /[\s"<>`]/;
const inBlock = /^(?:[A-Za-z0-9+/=:,._-]{1,128}|)$/;
const BLOCK = { begin: 1, body: 2, end: 3 };

/** @param cutPlace what the detectors say */
export const secretSegments = (cutPlace: SegmentRules['cutPlace']): SegmentRules => ({
  maxSegment: MAX_SEGMENT,
  maxBlock: MAX_BLOCK,
  maxMatch: MAX_MATCH,
  readWord,
  goesOn,
  takesBack: (open, separator, next) => isQuote(separator) && /[:=]/.test(next) && open.gap === 1,
  cutPlace,
});

const isQuote = (separator: string): boolean => separator === '"' || separator === '`';

function readWord(open: Open, word: string, end: number): void {
  readBlock(open, word);
  open.url = opensUrl.test(word);
  const bare = word.replace(/^[-'$]+/, '').replace(/['"]?[:=>|-]*$/, '');
  const named =
    isSecretName(bare) || /^(?:bearer|basic|(?:api|access|auth|secret|private|client|connection))$/i.test(bare);
  const isSign = sign.test(word) || signWord.test(word);
  if (open.context && isSign) open.until = Math.max(open.until, end + VALUE_WINDOW);
  else if (named && (isSign || word.startsWith('-'))) open.until = Math.max(open.until, end + VALUE_WINDOW);
  open.context = named || (open.context && /^(?:key|token|secret|string|url)$/i.test(bare));
  // `x: value`, `x=value`, whatever x is.
  open.number = isSign;
}

function goesOn(open: Open, separator: string, end: number): boolean {
  if (open.block > 0) return true;
  if (separator === '=' || separator === '|') {
    if (open.context) open.until = Math.max(open.until, end + VALUE_WINDOW);
    open.number = true;
  }
  open.number &&= open.gap <= MAX_GAP && /[\s"`=|>]/.test(separator);
  open.context &&= open.gap <= MAX_GAP && /[\s"`=|]/.test(separator);
  open.url &&= !endsUrl.test(separator);
  return open.number || open.context || open.url || end < open.until;
}

/** From "-----BEGIN" over all that looks like the lines of a key to "END …-----". */
function readBlock(open: Open, word: string): void {
  if (word.endsWith('-----BEGIN')) open.block = BLOCK.begin;
  else if (open.block === BLOCK.begin) {
    if (word.endsWith('-----')) open.block = /KEY-----$|BLOCK-----$/.test(word) ? BLOCK.body : 0;
    else if (!/^[A-Z0-9]{1,16}$/.test(word)) open.block = 0;
  } else if (open.block === BLOCK.body) {
    if (word === '-----END') open.block = BLOCK.end;
    else if (!inBlock.test(word)) open.block = 0;
  } else if (open.block === BLOCK.end && word.endsWith('-----')) open.block = 0;
}
