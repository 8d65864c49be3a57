// Finds the logs of the local stack: `.millrace/logs` in a folder or above.
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export async function findLogFolder(cwd: string): Promise<string | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const logs = join(folder, '.millrace', 'logs');
    const found = await stat(logs).catch(() => undefined);
    if (found?.isDirectory()) return logs;
    if (dirname(folder) === folder) return undefined;
  }
}
