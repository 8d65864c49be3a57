// Builds the console in the background while the stack serves. A failure leaves the stack as it is: the gateway then
// serves a page that names the build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type ConsoleBuild = {
  /** Resolves when the build has ended, also if it failed. */
  ended: Promise<void>;
  /** Ends a build in progress. */
  stop(): Promise<void>;
};

type BuildOptions = { checkout: string; out: string; report: (line: string) => void };

/** Prints nothing if the folder holds a build of the same content. */
export function buildConsole({ checkout, out, report }: BuildOptions): ConsoleBuild {
  const program = join(checkout, 'console/build.mjs');
  if (!existsSync(program)) return { ended: Promise.resolve(), stop: () => Promise.resolve() };
  const child = spawn(process.execPath, [program, '--out', out], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own group, so that a stop reaches the package manager as well.
    detached: process.platform !== 'win32',
  });
  const exited = once(child, 'close').then(
    () => undefined,
    (error: unknown) => report(`The console was not built: ${String(error)}`),
  );
  createInterface({ input: child.stderr }).on('line', report);
  if (child.pid !== undefined) lowerPriority(child.pid);
  return {
    ended: exited,
    async stop() {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) endGroup(child.pid);
      await exited;
    },
  };
}

/** The services answer first. A system that refuses it builds at the normal priority. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    return;
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM');
  } catch {
    return;
  }
}
