// Names a resource in keys and events without its text.
import { createHash } from 'node:crypto';

const HASH_DIGITS = 32;

/** Returns a token: hexadecimal digits of the SHA-256 of tenant and resource. */
export const hashResource = (tenant: string, resourceId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([tenant, resourceId]))
    .digest('hex')
    .slice(0, HASH_DIGITS);
