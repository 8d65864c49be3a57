import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Finds a file or folder of the local stack: `.millrace/<entry>` in a folder or above. */
export async function findStateEntry(cwd: string, entry: string): Promise<string | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, '.millrace', entry);
    const found = await stat(path).catch(() => undefined);
    if (found) return path;
    if (dirname(folder) === folder) return undefined;
  }
}
