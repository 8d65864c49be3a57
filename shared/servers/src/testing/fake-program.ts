// Creates stand-ins for programs on a PATH without any other programs, so that no test depends on installed ones.
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeCurrentHost } from '../process/host.ts';
import { searchPath } from '../find/search-path.ts';

/** Writes an executable; a shell script without `interpreter`. Returns its path. */
export async function writeProgram(path: string, script: string, interpreter = '/bin/sh'): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!${interpreter}\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** A program that prints this line and does nothing else. */
export function writeVersionProgram(path: string, line: string): Promise<string> {
  return writeProgram(path, `echo '${line}'`);
}

/** A directory with the tools that unpack a release, and without any server and apt. */
export async function makeToolDir(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  for (const tool of ['tar', 'gzip']) {
    const [path] = await searchPath(tool, describeCurrentHost());
    if (path === undefined) throw new Error(`these tests need ${tool}`);
    await symlink(path, join(directory, tool));
  }
  return directory;
}
