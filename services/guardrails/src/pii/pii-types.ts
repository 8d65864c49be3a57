// What counts as personal data here, and what a detector is.
import type { Span } from '../text/span.ts';
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

/** Ids and addresses of machines are looked for on request: tools take them, and logs and answers are full of them. */
const ON_REQUEST: readonly PiiType[] = ['uuid', 'ip', 'url'];
export const DEFAULT_TYPES: readonly PiiType[] = PII_TYPES.filter((type) => !ON_REQUEST.includes(type));

/** `contextStart`: where the words begin without which this would not be a hit ("born on"). */
export type PiiHit = Span & { type: PiiType; contextStart?: number };

/** The view of a stretch of text, at most MAX_SEGMENT long. */
export type Segment = {
  text: string;
  /** The numbers in it, looked for once for all detectors: as one number is written, and with anything between that is no word. */
  runs: DigitRun[];
  looseRuns: DigitRun[];
  phones: PhoneBook;
};

/** Asks whether digits are a phone number somewhere. */
export type PhoneBook = {
  /** With the prefix of calls inside the country. */
  isNational(digits: string): boolean;
  /** Without one, in the groups that are usual there. */
  isFormatted(groups: readonly string[]): boolean;
  isInternational(digits: string): boolean;
  hasNorthAmerica: boolean;
};

export type Detector = {
  type: PiiType;
  /** Bounded in time by the segment's length; every hit, with its context, is at most MAX_MATCH long. */
  detect(segment: Segment): PiiHit[];
};

/** The type's hits of a global regular expression; `group` names the part that is the hit. */
export function hitsOf(
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
