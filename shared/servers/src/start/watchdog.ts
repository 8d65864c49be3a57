// Ends a server if its owner was killed. A small shell reads a pipe that only the owner holds: when the owner dies in
// any way, the system closes it. A line on the pipe means that the server has ended and no action is needed.
import { spawn } from 'node:child_process';

/** The same grace as a regular stop gives: five looks, a second apart. */
const SCRIPT = `read -r line && exit 0
kill -TERM "$1" 2>/dev/null
for second in 1 2 3 4 5; do kill -0 "$1" 2>/dev/null || exit 0; sleep 1; done
kill -KILL "$1" 2>/dev/null`;

export type Watchdog = {
  /** Must be called after the server has ended; resolves when the watchdog has ended too. */
  dismiss(): Promise<void>;
};

export function watchOver(pid: number): Watchdog {
  // Windows has no such shell; there the owner's end is not noticed.
  if (process.platform === 'win32') return { dismiss: () => Promise.resolve() };
  // A session of its own: Ctrl-C in the terminal must not reach it before the owner has stopped its services.
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'millrace-watchdog', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  });
  const exited = new Promise<void>((resolve) => {
    shell.once('exit', () => resolve());
    // Without a shell there is no watchdog, and everything else still works.
    shell.once('error', () => resolve());
  });
  // The watchdog has ended if the pipe is not writable.
  shell.stdin.on('error', () => {});
  shell.unref();
  return {
    dismiss() {
      shell.ref();
      shell.stdin.end('done\n');
      return exited;
    },
  };
}
