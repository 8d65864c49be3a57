// API keys in the providers' formats, and values after the words "api key". The `secrets` processor finds private keys,
// bearer tokens and passwords.
import type { TextSpan } from '../../../text/span.ts';
import { findProviderKeys } from '../../secrets/provider-keys.ts';
import { type Detector, type PiiHit, findPattern } from '../pii-types.ts';

const named =
  /(?<![a-z])(?:api|access|secret|auth)[ _-]?(?:key|token|secret)(?:["'\s]|is|was|[:=>]){0,40}([A-Za-z0-9_.~+/-]{16,240})/gi;

export const apiKey: Detector = {
  type: 'api-key',
  detect: ({ text }) => [
    ...findProviderKeys(text).map(({ start, end }) => ({ type: 'api-key' as const, start, end })),
    ...findNamedKeys(text),
  ],
};

function findNamedKeys(text: string): PiiHit[] {
  return [...text.matchAll(named)].flatMap((match) => {
    const key = match[1] ?? '';
    const end = match.index + match[0].length;
    if (!/\d/.test(key)) return [];
    return [{ type: 'api-key' as const, start: end - key.length, end, contextStart: match.index }];
  });
}

/** The text form of a UUID (RFC 9562, section 4), any version. */
const uuidShape = /(?<![0-9a-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-z])/gi;

/** Returns whether the span touches a UUID. */
export const isInUuid = (text: string, { start, end }: TextSpan): boolean =>
  findPattern('uuid', text, uuidShape).some((found) => found.start < end && start < found.end);

export const uuid: Detector = {
  type: 'uuid',
  detect: ({ text }) => findPattern('uuid', text, uuidShape),
};

/** Bitcoin (P2PKH, P2SH) and Tron addresses; `bech32` (BIP 173): Bitcoin and Litecoin. */
const base58 = /(?<![A-Za-z0-9])(?:[13][1-9A-HJ-NP-Za-km-z]{25,33}|T[1-9A-HJ-NP-Za-km-z]{33})(?![A-Za-z0-9])/g;
const bech32 = /(?<![a-z0-9])(?:bc|ltc)1[ac-hj-np-z02-9]{11,71}(?![a-z0-9])/gi;
const ethereum = /(?<![a-z0-9])0x[0-9a-f]{40}(?![a-z0-9])/gi;

export const cryptoWallet: Detector = {
  type: 'crypto-wallet',
  detect: ({ text }) => [
    ...findPattern('crypto-wallet', text, base58, ({ 0: found }) => isMixed(found)),
    ...findPattern('crypto-wallet', text, bech32, ({ 0: found }) => /\d.*\d/.test(found)),
    ...findPattern('crypto-wallet', text, ethereum),
  ],
};

/** An address mixes digits, small and capital letters; a long number or a long word does not. */
const isMixed = (found: string): boolean => /\d/.test(found) && /[a-z]/.test(found) && /[A-Z]/.test(found);
