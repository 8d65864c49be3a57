// Segment rules for secrets: a segment is a word, a name with its sign and its value, or a private key with all its
// lines.
import type { OpenSegment, SegmentRules } from '../../segments/segment-end.ts';
import { isCloudWord, isSecretCommand, isSecretName, signWord } from './secret-names.ts';

/** Maximum length of a segment, in code units. A longer key or token is found up to this length. */
const MAX_SEGMENT = 4_096;
/** Maximum length of a key block; the largest private keys in use have about 13,000 code units. */
export const MAX_BLOCK = 16_384;
const MAX_MATCH = 512;
/** Distance after a name and its sign within which a value may continue over quotes and commas, in code units. */
const VALUE_WINDOW = 96;
/** Distance after a command such as `curl` within which its credentials are found, in code units. */
const COMMAND_WINDOW = 480;
/** Maximum gap between a name and its sign, and between the sign and the value. */
const MAX_GAP = 3;

const sign = /(?:=>|:=|[:=|]|->)$/;
const opensUrl = /:\/\/[^\s/?#]*$/;
const endsUrl = /[\s"<>`]/;
const inBlock = /^(?:[A-Za-z0-9+/=:,._-]{1,128}|)$/;
const BLOCK = { begin: 1, body: 2, end: 3 };

/** @param findCutPlace of the detectors */
export const createSecretSegments = (findCutPlace: SegmentRules['findCutPlace']): SegmentRules => ({
  maxSegment: MAX_SEGMENT,
  maxBlock: MAX_BLOCK,
  maxMatch: MAX_MATCH,
  readWord,
  continuesAfter,
  reopensBefore: (open, separator, next) => isQuote(separator) && /[:=]/.test(next) && open.gap === 1,
  findCutPlace,
});

const isQuote = (separator: string): boolean => separator === '"' || separator === '`';

function readWord(open: OpenSegment, word: string, end: number): void {
  readBlock(open, word);
  open.url = opensUrl.test(word);
  const bare = word.replace(/^[-'$]+/, '').replace(/['"]?[:=>|-]*$/, '');
  const named =
    isSecretName(bare) || /^(?:bearer|basic|(?:api|access|auth|secret|private|client|connection))$/i.test(bare);
  const isSign = sign.test(word) || signWord.test(word);
  if (open.context && isSign) open.until = Math.max(open.until, end + VALUE_WINDOW);
  else if (named && (isSign || word.startsWith('-'))) open.until = Math.max(open.until, end + VALUE_WINDOW);
  if (isCloudWord(bare)) open.until = Math.max(open.until, end + VALUE_WINDOW);
  if (isSecretCommand(bare)) open.until = Math.max(open.until, end + COMMAND_WINDOW);
  open.context = named || (open.context && /^(?:key|token|secret|string|url)$/i.test(bare));
  // `x: value` or `x=value` with any name.
  open.number = isSign;
}

function continuesAfter(open: OpenSegment, separator: string, end: number): boolean {
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

/** Reads from "-----BEGIN" over all lines with the form of a key to "END …-----". */
function readBlock(open: OpenSegment, word: string): void {
  if (word.endsWith('-----BEGIN')) open.block = BLOCK.begin;
  else if (open.block === BLOCK.begin) {
    if (word.endsWith('-----')) open.block = /KEY-----$|BLOCK-----$/.test(word) ? BLOCK.body : 0;
    else if (!/^[A-Z0-9]{1,16}$/.test(word)) open.block = 0;
  } else if (open.block === BLOCK.body) {
    if (word === '-----END') open.block = BLOCK.end;
    else if (!inBlock.test(word)) open.block = 0;
  } else if (open.block === BLOCK.end && word.endsWith('-----')) open.block = 0;
}
