// All hits of one segment: every chosen detector, what is allowed left out, overlapping hits merged.
import type { CountryCode } from 'libphonenumber-js/min';
import { freePlace } from '../segments/judge-segments.ts';
import type { SegmentRules } from '../segments/segment-end.ts';
import { mergeOverlapping } from '../text/span.ts';
import { digitRuns } from './digit-runs.ts';
import { apiKey } from './detectors/api-key.ts';
import { card } from './detectors/card.ts';
import { cryptoWallet } from './detectors/crypto-wallet.ts';
import { dateOfBirth } from './detectors/date-of-birth.ts';
import { email } from './detectors/email.ts';
import { iban } from './detectors/iban.ts';
import { ip } from './detectors/ip.ts';
import { phone } from './detectors/phone.ts';
import { ssn } from './detectors/ssn.ts';
import { urls } from './detectors/url.ts';
import { urlCredentials } from './detectors/url-credentials.ts';
import { uuid } from './detectors/uuid.ts';
import { createPhoneBook } from './phone-book.ts';
import type { Detector, PiiHit, PiiType } from './pii-types.ts';

/** One for each type. Of two that find the same, the first one names it. */
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

/** Every kind of personal data has one of these in it. @param view of a text */
export const mayHoldPii = (view: string): boolean => /[\d@]|:\/\/|www\.|[[({<] ?at/i.test(view);

export type DetectOptions = {
  types: readonly PiiType[];
  regions: readonly CountryCode[];
  /** Values that are not hits: as they stand, in any case; `@example.com` for all addresses of a domain. */
  allow: readonly string[];
};
export type Detect = {
  /** Not overlapping, in order. @param text the view of a segment */
  hits(text: string): PiiHit[];
  cutPlace: SegmentRules['cutPlace'];
};

export function createDetect({ types, regions, allow }: DetectOptions): Detect {
  const detectors = DETECTORS.filter((detector) => types.includes(detector.type));
  const allowed = allow.map((value) => value.toLowerCase());
  const phones = createPhoneBook(regions);
  const all = (text: string): PiiHit[] => {
    if (!mayHoldPii(text)) return [];
    const segment = { text, runs: digitRuns(text, 'close'), looseRuns: digitRuns(text, 'loose'), phones };
    const hits = detectors.flatMap((detector) => detector.detect(segment));
    return withCredentials(hits).filter((hit) => !isAllowed(text.slice(hit.start, hit.end), hit, allowed));
  };
  return {
    hits: (text) => mergeOverlapping(all(text)),
    cutPlace: (text, at) => freePlace(all(text), at),
  };
}

/** A URL with credentials in it is told of as such. */
function withCredentials(hits: PiiHit[]): PiiHit[] {
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
