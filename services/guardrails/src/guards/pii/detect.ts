// Finds all hits of one segment: runs the selected detectors, removes allowed values and merges overlapping hits.
import type { CountryCode } from 'libphonenumber-js/min';
import { findFreePlace } from '../../guard/judge-segments.ts';
import type { SegmentRules } from '../../segments/segment-end.ts';
import { mergeOverlapping } from '../../text/span.ts';
import { findDigitRuns } from './digit-runs.ts';
import { apiKey, uuid, cryptoWallet } from './detectors/identifiers.ts';
import { card } from './detectors/card.ts';
import { dateOfBirth } from './detectors/date-of-birth.ts';
import { email } from './detectors/email.ts';
import { iban } from './detectors/iban.ts';
import { ip } from './detectors/ip.ts';
import { phone } from './detectors/phone.ts';
import { ssn } from './detectors/ssn.ts';
import { urls, urlCredentials } from './detectors/url.ts';
import { keepPersonal } from './number-context.ts';
import { createPhoneBook } from './phone-book.ts';
import type { Detector, PiiHit, PiiType } from './pii-types.ts';

/** One detector per type. If two find the same text, the first one names it. */
export const DETECTORS: readonly Detector[] = [
  urlCredentials,
  email,
  ssn,
  card,
  phone,
  iban,
  ip,
  urls,
  cryptoWallet,
  uuid,
  dateOfBirth,
  apiKey,
];

/** Every kind of personal data contains one of these. @param view of a text */
export const mayHoldPii = (view: string): boolean => /[\d@]|:\/\/|www\.|[[({<] ?at/i.test(view);

export type PiiDetectOptions = {
  types: readonly PiiType[];
  regions: readonly CountryCode[];
  /** Values that are not hits, in any case; `@example.com` allows all addresses of a domain. */
  allow: readonly string[];
  /** Numbers without a word of their kind near are hits, too. */
  strict: boolean;
};
export type Detect = {
  /** Returns ordered hits without overlap. @param text the view of a segment */
  findHits(text: string): PiiHit[];
  findCutPlace: SegmentRules['findCutPlace'];
};

export function createDetect({ types, regions, allow, strict }: PiiDetectOptions): Detect {
  const detectors = DETECTORS.filter((detector) => types.includes(detector.type));
  const allowed = allow.map((value) => value.toLowerCase());
  const phones = createPhoneBook(regions);
  const findAll = (text: string): PiiHit[] => {
    if (!mayHoldPii(text)) return [];
    const segment = { text, runs: findDigitRuns(text, 'close'), looseRuns: findDigitRuns(text, 'loose'), phones };
    const found = detectors.flatMap((detector) => detector.detect(segment));
    const hits = strict ? found : keepPersonal(segment, found);
    return markCredentialUrls(hits).filter((hit) => !isAllowed(text.slice(hit.start, hit.end), hit, allowed));
  };
  return {
    findHits: (text) => mergeOverlapping(findAll(text)),
    findCutPlace: (text, at) => findFreePlace(findAll(text), at),
  };
}

/** Reports a URL that contains credentials as such. */
function markCredentialUrls(hits: PiiHit[]): PiiHit[] {
  const secret = hits.filter(({ type }) => type === 'url-credentials');
  if (secret.length === 0) return hits;
  return hits.map((hit) => {
    const holds = hit.type === 'url' && secret.some(({ start, end }) => hit.start <= start && end <= hit.end);
    return holds ? { ...hit, type: 'url-credentials' as const } : hit;
  });
}

function isAllowed(found: string, hit: PiiHit, allowed: readonly string[]): boolean {
  const value = found.toLowerCase();
  return allowed.some(
    (entry) => value === entry || (hit.type === 'email' && entry.startsWith('@') && value.endsWith(entry)),
  );
}
