// Runs a server as a child process: starts it with its output in a file, watches it, ends it. In every case the
// directory's claim and the watchdog end with the process, and the process does not outlive its owner.
import { spawn } from 'node:child_process';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Program } from '../find/search-result.ts';
import { buildChildEnvironment, type Environment } from '../process/host.ts';
import { endProcess } from '../process/process-end.ts';
import { identifyProcess } from '../process/process-identity.ts';
import { ServerError } from '../process/server-error.ts';
import { claimStore } from '../process/store-claim.ts';
import { waitUntil } from '../process/wait-until.ts';
import { watchOver } from './watchdog.ts';

/** Size of the output in the error of a failed server. */
const TAIL_BYTES = 2_000;

type ServerProcess = {
  pid: number;
  /** The exit code, or null when a signal ended it. Resolves after the claim on the directory is given back. */
  exited: Promise<number | null>;
  /** Sends SIGTERM, and SIGKILL after 5 s. Idempotent; resolves when the process has ended. */
  stop: () => Promise<void>;
};

export type StartedProcess<T> = ServerProcess & {
  /** Result of `ready`. */
  details: T;
};

export type LaunchOptions<T> = {
  program: Program;
  /** The program's name: in messages, and for the claim file. */
  name: string;
  args: readonly string[];
  env: Environment;
  /** The directory that the server alone may write. */
  storeDir: string;
  /** Receives the server's stdout and stderr, appended. */
  logFile: string;
  readyTimeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Writes the server's configuration after the directory was claimed and cleaned. */
  prepare: () => Promise<void>;
  /** Polled: returns the details once the server responds, undefined before. */
  awaitReady: (pid: number) => Promise<T | undefined>;
};

/** @throws ServerError `store-in-use`, or `start-failed` with the end of the server's output. */
export async function launchServer<T>(options: LaunchOptions<T>): Promise<StartedProcess<T>> {
  const { program, name, storeDir, logFile, readyTimeoutMs, signal, awaitReady } = options;
  signal?.throwIfAborted();
  const claim = await claimStore(storeDir, name);
  const log = await openLog(options).catch(async (error: unknown) => {
    await claim.release();
    throw error;
  });
  const logStart = (await log.stat()).size;
  const child = spawn(program.path, options.args, {
    stdio: ['ignore', log.fd, log.fd],
    env: buildChildEnvironment(options.env, program.libraryDirs),
    // A session of its own: Ctrl-C in the terminal is for the owner, which stops the servers last.
    detached: true,
  });
  let hasExited = false;
  // Subscribed before the first await: either event may be emitted at once, and each is emitted once.
  const ended = new Promise<Error | number | null>((resolve) => {
    child.once('error', resolve);
    child.once('exit', (code) => {
      hasExited = true;
      resolve(code);
    });
  });
  await log.close();
  const pid = child.pid;
  if (pid === undefined) {
    await claim.release();
    throw new ServerError('start-failed', `${program.path} cannot be run`, { cause: await ended });
  }
  const watchdog = watchOver(pid);
  const recorded = identifyProcess(pid).then((identity) => claim.record(identity));
  const exited = ended.then(async () => {
    // A removed directory must not become an unhandled rejection if no caller awaits this.
    await Promise.allSettled([watchdog.dismiss(), recorded]);
    await claim.release().catch(() => undefined);
    return child.exitCode;
  });

  let stopping: Promise<void> | undefined;
  const end = async () => {
    if (!hasExited && !(await endProcess(pid, () => hasExited))) {
      throw new ServerError('stop-failed', `${name} (process ${pid}) does not end`);
    }
    await exited;
  };
  const stop = () => (stopping ??= end());

  try {
    await recorded;
    const outcome = await waitUntil(async () => {
      signal?.throwIfAborted();
      if (hasExited) return { ready: false as const };
      const details = await awaitReady(pid);
      return details === undefined ? undefined : { ready: true as const, details };
    }, readyTimeoutMs);
    if (outcome?.ready) return { pid, exited, stop, details: outcome.details };
    const what = hasExited
      ? `ended with code ${child.exitCode ?? child.signalCode}`
      : `was not ready in ${readyTimeoutMs} ms`;
    throw new ServerError('start-failed', `${name} ${what}. It wrote: ${await readTail(logFile, logStart)}`);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openLog({ prepare, logFile }: Pick<LaunchOptions<unknown>, 'prepare' | 'logFile'>): Promise<FileHandle> {
  await prepare();
  await mkdir(dirname(logFile), { recursive: true });
  return open(logFile, 'a');
}

async function readTail(logFile: string, logStart: number): Promise<string> {
  const log = await open(logFile, 'r');
  try {
    const { size } = await log.stat();
    const from = Math.max(logStart, size - TAIL_BYTES);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
    const text = buffer.toString('utf8', 0, bytesRead).trim();
    return text === '' ? `nothing (${logFile})` : text;
  } finally {
    await log.close();
  }
}
