// The processes of a stack. Each has its log in a file.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type StartedProcess = { service: string; child: ChildProcess; log: string; exited: Promise<unknown> };

export type ServiceProcesses = {
  /** Starts a program as a replica of a service; does not wait for it. */
  launch(service: string, file: string, env: Record<string, string>): void;
  /** Whether a replica of the service was started here. */
  includes(service: string): boolean;
  readLog(service: string): Promise<string>;
  /** Resolves when the replicas have exited, unless the signal only freezes them. */
  signal(service: string, signal: NodeJS.Signals): Promise<void>;
  pids(): { service: string; pid: number }[];
  /** Ends all: with SIGTERM, and SIGKILL if a process does not exit. */
  end(): Promise<void>;
};

/** Time for a process or a service to stop, ms: SIGKILL follows. */
export const STOP_TIMEOUT_MS = 8_000;

/** @param dir folder of the logs, and the working directory of the processes */
export function createServiceProcesses(dir: string): ServiceProcesses {
  const started: StartedProcess[] = [];
  const alive = () => started.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  return {
    launch(service, file, env) {
      const log = join(dir, `${service}-${started.length}.log`);
      const child = spawn(process.execPath, [file], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const output = createWriteStream(log);
      child.stdout.pipe(output, { end: false });
      child.stderr.pipe(output, { end: false });
      started.push({ service, child, log, exited: once(child, 'exit').finally(() => output.end()) });
    },
    includes: (service) => started.some((one) => one.service === service),
    async readLog(service) {
      const own = started.filter((one) => one.service === service);
      return (await Promise.all(own.map(({ log }) => readFile(log, 'utf8')))).join('');
    },
    async signal(service, how) {
      const own = alive().filter((one) => one.service === service);
      for (const { child } of own) child.kill(how);
      if (how !== 'SIGSTOP' && how !== 'SIGCONT') await Promise.all(own.map(({ exited }) => exited));
    },
    pids: () => alive().flatMap(({ service, child }) => (child.pid === undefined ? [] : [{ service, pid: child.pid }])),
    end: async () => void (await Promise.all(alive().map(({ child, exited }) => end(child, exited)))),
  };
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
