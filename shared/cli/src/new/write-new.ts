// Writes a new file and rejects a path that exists.
import { writeFile } from 'node:fs/promises';
import { UsageError } from '../command/usage-error.ts';

export async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST'
      ? new UsageError(`${file} exists already: choose another name`, 'millrace new')
      : error;
  });
}
