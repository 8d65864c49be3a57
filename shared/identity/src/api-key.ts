// Spells API keys: `mk_<id>_<secret>`. The id is public and names the key; the secret has 256 bits, so that its plain
// SHA-256 is enough: a slow hash protects secrets that can be guessed.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { keyIdSchema } from '@millrace/contracts';

export type ApiKey = { id: string; secret: string };

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);
const BITS_PER_BYTE = 8;
const ID_BYTES = 9;
const SECRET_BYTES = 32;

export function createApiKey(): ApiKey {
  return { id: createToken(ID_BYTES), secret: createToken(SECRET_BYTES) };
}

export const spellApiKey = ({ id, secret }: ApiKey): string => `mk_${id}_${secret}`;

/** Returns true for a text that claims to be an API key, whether it is one or not. */
export const isApiKey = (credential: string): boolean => credential.startsWith('mk_');

const SECRET = /^[A-Za-z0-9]{43}$/;

/** Returns undefined for a text of another form. */
export function parseApiKey(credential: string): ApiKey | undefined {
  const [kind, id = '', secret = '', ...rest] = credential.split('_');
  const fits = kind === 'mk' && rest.length === 0 && keyIdSchema.safeParse(id).success && SECRET.test(secret);
  return fits ? { id, secret } : undefined;
}

/** Returns 64 hexadecimal digits of SHA-256. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Compares in constant time. @param sha256 as `hashSecret` returns it */
export function isSecret(secret: string, sha256: string): boolean {
  const [one, other] = [Buffer.from(hashSecret(secret), 'hex'), Buffer.from(sha256, 'hex')];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Returns random digits of base 62: as many as the largest number of these bytes has. */
function createToken(bytes: number): string {
  const length = Math.ceil((bytes * BITS_PER_BYTE) / Math.log2(DIGITS.length));
  let rest = BigInt(`0x${randomBytes(bytes).toString('hex')}`);
  let text = '';
  for (; text.length < length; rest /= BASE) text = DIGITS.charAt(Number(rest % BASE)) + text;
  return text;
}
