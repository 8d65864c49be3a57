// Keeps the secrets of stores: the passwords of the users of Redis, and the API key of Qdrant.
import { randomBytes } from 'node:crypto';
import { MillraceError } from '@millrace/contracts';
import { readSecret, writeSecret } from './secret-file.ts';

/**
 * Reads the secret of a file, or creates it: 43 characters of base64url.
 * @param isRotated replaces the secret @param what for the error message @throws config-invalid for a damaged file
 */
export async function openStoreSecret(file: string, isRotated: boolean, what: string): Promise<string> {
  const known = isRotated ? undefined : (await readSecret(file))?.trim();
  if (known === undefined) return createSecret(file);
  if (/^\S{32,}$/.test(known)) return known;
  throw new MillraceError('config-invalid', `The file ${file} contains no ${what}.`, {
    path: 'folder',
    remedy: 'Delete the file: the next `millrace keys` creates another secret.',
  });
}

async function createSecret(file: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await writeSecret(file, secret);
  return secret;
}
