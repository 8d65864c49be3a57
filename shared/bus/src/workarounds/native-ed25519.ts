// Signs and verifies with the Ed25519 of Node.js instead of that of the NATS client, which is written in JavaScript and takes 3 to 30 ms of
// processor time for each public key and each signature. Ed25519 is deterministic: both give the same signature.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { nkeys, type Authenticator } from 'nats';

export type KeyPair = ReturnType<typeof nkeys.createUser>;

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
/** CRC-16/XMODEM, the checksum at the end of a key. */
const [CRC_POLYNOMIAL, CRC_TOP_BIT, CRC_MASK] = [0x1021, 0x8000, 0xffff];

/**
 * Replaces the public key and the signature of a key pair by native ones, and computes its private key once.
 * @param pair of an operator, an account, a user, a server or a cluster, with a seed; its other operations stay as they are
 */
export function signNatively(pair: KeyPair): KeyPair {
  const bytes = decodeBase32(Buffer.from(pair.getSeed()).toString());
  const [first = 0, second = 0] = bytes;
  const seed = bytes.subarray(SEED_PREFIX_BYTES, SEED_PREFIX_BYTES + KEY_BYTES);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_HEAD.length);
  // The kind of key occupies the last three bits of the first byte and the first five of the second.
  const kind = ((first & 0b111) << BITS_PER_DIGIT) | (second >> 3);
  const publicKey = encodeKey(Buffer.concat([Buffer.of(kind), raw]));
  // The JWT library reads it for each user that it signs.
  const computePrivateKey = pair.getPrivateKey.bind(pair);
  let privateKey: Uint8Array | undefined;
  return Object.assign(pair, {
    getPublicKey: () => publicKey,
    getPrivateKey: () => (privateKey ??= computePrivateKey()),
    sign: (input: Uint8Array) => new Uint8Array(sign(null, input, key)),
  });
}

/** @param seed `SU` and 56 characters @throws an error of the client if the seed is damaged */
export function createSeedAuthenticator(seed: string): Authenticator {
  const pair = signNatively(nkeys.fromSeed(Buffer.from(seed)));
  return (nonce) => ({
    nkey: pair.getPublicKey(),
    sig: nonce ? Buffer.from(pair.sign(Buffer.from(nonce))).toString('base64') : '',
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

/** Appends the checksum of a key and spells it in base 32. @param key 33 bytes; with the checksum, 56 digits need no padding */
function encodeKey(key: Buffer): string {
  const checksum = computeChecksum(key);
  let [text, bits, value] = ['', 0, 0];
  for (const byte of [...key, checksum & 0xff, checksum >> BITS_PER_BYTE]) {
    value = (value << BITS_PER_BYTE) | byte;
    bits += BITS_PER_BYTE;
    while (bits >= BITS_PER_DIGIT) {
      bits -= BITS_PER_DIGIT;
      text += DIGITS.charAt((value >>> bits) & 0b11111);
    }
    value &= (1 << bits) - 1;
  }
  return text;
}

function computeChecksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << BITS_PER_BYTE;
    for (let bit = 0; bit < BITS_PER_BYTE; bit += 1) crc = (crc << 1) ^ (crc & CRC_TOP_BIT ? CRC_POLYNOMIAL : 0);
  }
  return crc & CRC_MASK;
}
