// Runs a program of a processor or tool as a child process, and stops it in order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Env } from '@millrace/bus';

/** A service finishes its calls within 10 s; a program that does not end is killed. */
const STOP_MS = 15_000;

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
  // Not `close`: a process that the program has started may keep the output open.
  const ended = once(child, 'exit').then(
    ([code, signal]) => (signal === null ? `ended with code ${String(code)}` : `was ended by ${String(signal)}`),
    (error: unknown) => `could not be started: ${error instanceof Error ? error.message : String(error)}`,
  );
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
