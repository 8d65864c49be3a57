// The folder for the temporary files of a run of tests. Hundreds of servers write their stores there, so it is in memory if the machine has a
// memory file system with enough space.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** The stores of a run have 0.6 GB at most at one time; containers give this folder 64 MB unless they are configured otherwise. */
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/** Creates the folder, and sets TMPDIR for the workers and their programs. @returns removes the folder and restores TMPDIR */
export function openRunFolder(env: NodeJS.ProcessEnv): () => void {
  const former = env['TMPDIR'];
  const folder = createInMemory() ?? mkdtempSync(join(tmpdir(), 'millrace-run-'));
  env['TMPDIR'] = folder;
  return () => {
    if (former === undefined) delete env['TMPDIR'];
    else env['TMPDIR'] = former;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Returns undefined without a memory file system that has the space and lets programs run, because some tests write programs. */
function createInMemory(): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < MIN_FREE_BYTES) return undefined;
    folder = mkdtempSync(join(MEMORY, 'millrace-run-'));
    const program = join(folder, 'probe');
    writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
    execFileSync(program);
    // Some tests run programs as another user.
    chmodSync(folder, 0o711);
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
