// One life of a service as a child process: its own process group, its output in its log file, an end that is always seen.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { UP } from '@millrace/service';
import { openLogFile } from './log-file.ts';

/** A service to be run. */
export type ServiceSpec = {
  /** Also the name of its log file. */
  name: string;
  /** Absolute path of its main.ts. */
  main: string;
  /** Variables in addition to PATH, HOME and the like. */
  env: Readonly<Record<string, string | undefined>>;
};

/** `reason`: as in "ended with code 1", "was ended by SIGKILL". */
export type ProcessExit = {
  code: number | null;
  reason: string;
  /** Log with the last words of the process, if it is not that of the service. */
  logFile?: string;
};

export type SpawnedService = {
  pid: number | undefined;
  /** Resolves once it has started. Stays pending if it ends before. */
  up: Promise<void>;
  /** Resolves however it ended, also when it could not be started. Never rejects. */
  exited: Promise<ProcessExit>;
  /** Sends SIGTERM, and SIGKILL after `stopTimeoutMs`. Idempotent; resolves when the process has ended. */
  stop(): Promise<void>;
};

/** A little more than the drain that services are given here (DRAIN_GRACE_MS, service-table.ts). */
export const DEFAULT_STOP_TIMEOUT_MS = 10_000;

const childProgram = join(import.meta.dirname, 'child.ts');

export type StartProcess = (spec: ServiceSpec, logFile: string, stopTimeoutMs?: number) => Promise<SpawnedService>;

export const startServiceProcess: StartProcess = async (spec, logFile, stopTimeoutMs = DEFAULT_STOP_TIMEOUT_MS) => {
  const log = await openLogFile(logFile);
  const child = spawn(process.execPath, [childProgram, spec.main], {
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    env: { ...spec.env },
    // A process group of its own: Ctrl-C in the terminal is for the parent, which ends services before servers.
    detached: process.platform !== 'win32',
  });
  const exited = describeExit(child);
  await log.close();

  let stopping: Promise<void> | undefined;
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const exitEvent = once(child, 'exit');
    const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    child.kill('SIGTERM');
    await exitEvent;
    clearTimeout(kill);
  };
  const up = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if (message === UP) resolve();
    });
  });
  return { pid: child.pid, up, exited, stop: () => (stopping ??= end()) };
};

/** Resolves however the process ends, also when it could not be started. */
export function describeExit(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, reason: `could not be started: ${error.message}` }));
    child.once('exit', (code, signal) =>
      resolve({ code, reason: signal === null ? `ended with code ${code}` : `was ended by ${signal}` }),
    );
  });
}
