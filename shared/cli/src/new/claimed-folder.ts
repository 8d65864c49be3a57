// The folder of a new one: made by whoever writes it, or not written to at all; and gone again where what was to be in it did not come about.
import { mkdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** Where a path that may not be there yet leads: a link in it is followed. */
export async function realFolder(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  return realpath(path).catch(async () => join(await realFolder(parent), basename(path)));
}

/** @throws UsageError where something is there; what `write` throws, and then nothing is left of the folder */
export async function inNewFolder<T>(folder: string, command: string, write: () => Promise<T>): Promise<T> {
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new UsageError(`${folder} is there already: take another name`, command) : error;
  });
  try {
    return await write();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
