// Signs and verifies with the Ed25519 of Node.js instead of that of the library, which is written in JavaScript and
// takes 10 to 30 ms of processor time for each signature. Ed25519 is deterministic: both give the same signature.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyPair } from '@nats-io/nkeys';

/** PKCS 8 of an Ed25519 key without the 32 bytes of its seed (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
/** SPKI of an Ed25519 key without its 32 bytes. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS_PER_DIGIT = 5;
const BITS_PER_BYTE = 8;
/** The kinds of seed and key, before the seed itself; the kind of a public key, before the key. */
const [SEED_PREFIX_BYTES, KEY_PREFIX_BYTES] = [2, 1];
const KEY_BYTES = 32;

/** @param pair with a seed; its other operations stay as they are */
export function signNatively(pair: KeyPair): KeyPair {
  const seed = decodeBase32(Buffer.from(pair.getSeed()).toString()).subarray(
    SEED_PREFIX_BYTES,
    SEED_PREFIX_BYTES + KEY_BYTES,
  );
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  // The library computes both from the seed with each call.
  const [publicKey, privateKey] = [pair.getPublicKey(), pair.getPrivateKey()];
  return Object.assign(pair, {
    getPublicKey: () => publicKey,
    getPrivateKey: () => privateKey,
    sign: (input: Uint8Array) => new Uint8Array(sign(null, input, key)),
  });
}

/** @param publicKey a kind and 55 characters of base 32, as NATS spells keys */
export function verifyNatively(publicKey: string, data: Uint8Array, signature: Uint8Array): boolean {
  const raw = decodeBase32(publicKey).subarray(KEY_PREFIX_BYTES, KEY_PREFIX_BYTES + KEY_BYTES);
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
  return verify(null, data, key, signature);
}

/** RFC 4648, without padding. @param text that has been checked */
function decodeBase32(text: string): Buffer {
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const digit of text) {
    value = (value << BITS_PER_DIGIT) | DIGITS.indexOf(digit);
    bits += BITS_PER_DIGIT;
    if (bits >= BITS_PER_BYTE) {
      bits -= BITS_PER_BYTE;
      bytes.push((value >>> bits) & 0xff);
      value &= (1 << bits) - 1;
    }
  }
  return Buffer.from(bytes);
}
