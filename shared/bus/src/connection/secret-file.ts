// Reads the files of a connection: seeds, credentials, certificates. Errors name the file and its variable, never the
// content.
import { readFileSync, statSync } from 'node:fs';
import { MillraceError } from '@millrace/contracts';

const MAX_FILE_BYTES = 64 * 1024;
const OTHERS = 0o077;

/** Synchronous, because the client reads credentials within a connection attempt. @throws config-invalid */
export function readConnectionFile(file: string, variable: string): string {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw createFileError(file, variable, 'is not a file');
    if (found.size > MAX_FILE_BYTES) throw createFileError(file, variable, `has more than ${MAX_FILE_BYTES} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (MillraceError.isInstance(error)) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    throw createFileError(file, variable, isMissing ? 'does not exist' : `cannot be read (${code || 'unknown error'})`);
  }
}

/** Returns true if the group or all users of this machine have rights on the file. */
export function isExposed(file: string): boolean {
  if (process.platform === 'win32') return false;
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & OTHERS) !== 0;
}

const createFileError = (file: string, variable: string, problem: string): MillraceError =>
  new MillraceError('config-invalid', `The file ${file} ${problem}.`, {
    path: variable,
    remedy: `Set ${variable} to a file that this process can read.`,
  });
