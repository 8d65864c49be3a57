// Types of personal data, and the interface of a detector.
import type { TextSpan } from '../../text/span.ts';
import type { DigitRun } from './digit-runs.ts';

export const PII_TYPES = [
  'email',
  'phone',
  'card',
  'ssn',
  'iban',
  'ip',
  'url',
  'url-credentials',
  'crypto-wallet',
  'uuid',
  'date-of-birth',
  'api-key',
] as const;
export type PiiType = (typeof PII_TYPES)[number];

/** Types that must be requested: tools take ids and addresses of machines, and logs and answers contain many. */
const ON_REQUEST: readonly PiiType[] = ['uuid', 'ip', 'url'];
export const DEFAULT_TYPES: readonly PiiType[] = PII_TYPES.filter((type) => !ON_REQUEST.includes(type));

/** `contextStart`: start of the words that make this a hit ("born on"). */
export type PiiHit = TextSpan & { type: PiiType; contextStart?: number };

/** View of a segment, at most MAX_SEGMENT long. */
export type PiiSegment = {
  text: string;
  /**
   * Numbers of the segment, shared by all detectors: with the separators of one number, and with any separators other
   * than words.
   */
  runs: DigitRun[];
  looseRuns: DigitRun[];
  phones: PhoneBook;
};

/** Decides whether digits are a phone number in one of the regions. */
export type PhoneBook = {
  /** With the trunk prefix. */
  isNational(digits: string): boolean;
  /** Without a prefix, in the usual groups. */
  isFormatted(groups: readonly string[]): boolean;
  isInternational(digits: string): boolean;
  hasNorthAmerica: boolean;
};

export type Detector = {
  type: PiiType;
  /** Takes time bounded by the segment's length; each hit with its context is at most MAX_MATCH long. */
  detect(segment: PiiSegment): PiiHit[];
};

/** Returns the hits of a global regular expression; `group` names the part that is the hit. */
export function findPattern(
  type: PiiType,
  text: string,
  pattern: RegExp,
  keep?: (match: RegExpExecArray) => boolean,
): PiiHit[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    if (keep && !keep(match)) return [];
    return [{ type, start: match.index, end: match.index + match[0].length }];
  });
}
