// Reads and writes the files of a folder of keys. A file is written whole or not at all, so that a service that starts
// at that moment reads the former file or the new one.
import { randomBytes } from 'node:crypto';
import { MillraceError } from '@millrace/contracts';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export type Mode = { file: number; folder: number };
export const SECRET: Mode = { file: 0o600, folder: 0o700 };
export const PUBLIC: Mode = { file: 0o644, folder: 0o755 };

/** Returns the text of the file, and narrows its mode: a backup or a copy may have widened it. Undefined: no file. */
export async function readSecret(file: string): Promise<string | undefined> {
  const text = await readIfThere(file);
  if (text !== undefined) await chmod(file, SECRET.file);
  return text;
}

/** @param secret a line */
export async function writeSecret(file: string, secret: string): Promise<void> {
  await writeWhole(file, `${secret}\n`, SECRET);
}

export async function writeWhole(file: string, text: string, mode: Mode): Promise<void> {
  const directory = dirname(file);
  await mkdir(directory, { recursive: true, mode: mode.folder });
  await chmod(directory, mode.folder);
  const complete = `${file}.${process.pid}`;
  await writeFile(complete, text, { mode: mode.file });
  await rename(complete, file);
}

export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Reads the secret of a store from a file (a password of a user of Redis, the API key of Qdrant), or creates it: 43
 * characters of base64url.
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
