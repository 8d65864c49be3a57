// The folder for the temporary files of a run of tests. Hundreds of servers write their stores there, so it is in memory if the machine has a
// memory file system with enough space.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** The stores of a run have 0.6 GB at most at one time; containers give this folder 64 MB unless they are configured otherwise. */
const MIN_FREE_BYTES = 4 * 1024 ** 3;
/** A run creates folders all the time. The process of a run in another container is not visible here. */
const ABANDONED_MS = 10 * 60_000;
const NAME = /^millrace-run-(?<pid>\d+)-/;

/** Creates the folder, and sets TMPDIR for the workers and their programs. @returns removes the folder and restores TMPDIR */
export function openRunFolder(env: NodeJS.ProcessEnv): () => void {
  const former = env['TMPDIR'];
  removeAbandoned(MEMORY);
  const folder = createInMemory() ?? createIn(tmpdir());
  env['TMPDIR'] = folder;
  return () => {
    if (former === undefined) delete env['TMPDIR'];
    else env['TMPDIR'] = former;
    remove(folder);
  };
}

/** Returns undefined without a memory file system that has the space and lets programs run, because some tests write programs. */
function createInMemory(): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory()) < MIN_FREE_BYTES) return undefined;
    folder = createIn(MEMORY);
    const program = join(folder, 'probe');
    writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
    execFileSync(program);
    return folder;
  } catch {
    if (folder !== undefined) remove(folder);
    return undefined;
  }
}

function createIn(parent: string): string {
  const folder = mkdtempSync(join(parent, `millrace-run-${process.pid}-`));
  // Some tests run programs as another user.
  chmodSync(folder, 0o711);
  return folder;
}

/** A run that was interrupted leaves its folder in memory. */
function removeAbandoned(parent: string): void {
  const names = existsSync(parent) ? readdirSync(parent) : [];
  for (const name of names) {
    const pid = NAME.exec(name)?.groups?.['pid'];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    try {
      if (Date.now() - statSync(join(parent, name)).mtimeMs > ABANDONED_MS) remove(join(parent, name));
    } catch {
      // The folder of another user.
    }
  }
}

/** A server that its watchdog ends may still write. */
const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
