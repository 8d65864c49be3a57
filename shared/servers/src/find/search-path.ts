// Finds programs by name in the directories of PATH, in their order. More than one is kept: an old system package in front must
// not hide a newer program behind it.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ServerHost } from '../process/host.ts';

/** Absolute paths of the executable files called `program`. Empty and relative entries of PATH are skipped: they depend on the working directory. */
export async function searchPath(program: string, host: ServerHost): Promise<string[]> {
  const fileName = host.platform === 'win32' ? `${program}.exe` : program;
  const directories = (host.env['PATH'] ?? '').split(delimiter).filter((directory) => isAbsolute(directory));
  const candidates = [...new Set(directories)].map((directory) => join(directory, fileName));
  const usable = await Promise.all(candidates.map(isExecutableFile));
  return candidates.filter((_, index) => usable[index]);
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
