// Wallet addresses: Bitcoin (base58: P2PKH and P2SH; bech32, BIP 173), Litecoin's bech32, Ethereum, Tron.
import { hitsOf, type Detector } from '../pii-types.ts';

const base58 = /(?<![A-Za-z0-9])(?:[13][1-9A-HJ-NP-Za-km-z]{25,33}|T[1-9A-HJ-NP-Za-km-z]{33})(?![A-Za-z0-9])/g;
const bech32 = /(?<![a-z0-9])(?:bc|ltc)1[ac-hj-np-z02-9]{11,71}(?![a-z0-9])/gi;
const ethereum = /(?<![a-z0-9])0x[0-9a-f]{40}(?![a-z0-9])/gi;

export const cryptoWallet: Detector = {
  type: 'crypto-wallet',
  detect: ({ text }) => [
    ...hitsOf('crypto-wallet', text, base58, ({ 0: found }) => isMixed(found)),
    ...hitsOf('crypto-wallet', text, bech32, ({ 0: found }) => /\d.*\d/.test(found)),
    ...hitsOf('crypto-wallet', text, ethereum),
  ],
};

/** A long number or a long word is no address: digits, small and capital letters come together. */
const isMixed = (found: string): boolean => /\d/.test(found) && /[a-z]/.test(found) && /[A-Z]/.test(found);
