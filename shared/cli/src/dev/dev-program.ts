// Runs a program of a processor or tool as a child process, and stops it in order, also if this process is killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Env } from '@millrace/bus';

/** A service finishes its calls within 10 s; a program that does not end is killed. */
const STOP_MS = 15_000;

/** Reads a pipe that only this process holds: the system closes it when this process dies, SIGKILL included. A line means that the program has ended. */
const WATCHDOG = `read -r line && exit 0
kill -TERM "$1" 2>/dev/null
for second in $(seq ${STOP_MS / 1_000}); do kill -0 "$1" 2>/dev/null || exit 0; sleep 1; done
kill -KILL "$1" 2>/dev/null`;

export type DevProgram = {
  pid: number | undefined;
  /** Resolves with a description of the end. */
  ended: Promise<string>;
  stop(): Promise<void>;
};

type ProgramOptions = { cwd: string; env: Env; write(text: string): void };

export function startDevProgram(
  command: readonly [string, ...string[]],
  { cwd, env, write }: ProgramOptions,
): DevProgram {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { ...env, PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', write);
  const dismiss = child.pid === undefined ? undefined : watchProgram(child.pid);
  // Not `close`: a process that the program has started may keep the output open.
  const ended = once(child, 'exit').then(
    ([code, signal]) => (signal === null ? `ended with code ${String(code)}` : `was ended by ${String(signal)}`),
    (error: unknown) => `could not be started: ${error instanceof Error ? error.message : String(error)}`,
  );
  if (dismiss) void ended.then(dismiss);
  return {
    pid: child.pid,
    ended,
    async stop() {
      if (!child.kill('SIGTERM')) return void (await ended);
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Starts the watchdog of the program. @returns a function that ends it */
function watchProgram(pid: number): () => void {
  // A session of its own: Ctrl-C in the terminal does not reach the watchdog. Windows has no such shell.
  const shell = spawn('/bin/sh', ['-c', WATCHDOG, 'millrace-dev', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  });
  shell.on('error', () => undefined).unref();
  // The pipe breaks if the watchdog was killed.
  shell.stdin.on('error', () => undefined);
  return () => shell.stdin.end('ended\n');
}
