// Writes a file that is not there yet: what is there is never overwritten.
import { writeFile } from 'node:fs/promises';
import { UsageError } from '../usage-error.ts';

export async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST'
      ? new UsageError(`${file} is there already: take another name`, 'millrace new')
      : error;
  });
}
