// Starts a service host: one process for several services. A process costs a service a second of processor time and 50 MB, most of it
// for modules that the other services load too.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hostAnswerSchema, type HostAnswer, type HostCommand, type HostedStart } from './host-protocol.ts';

export type HostedService = {
  /** Address of a program that serves HTTP. */
  url: string | undefined;
  /** Stops this service alone. SIGKILL ends the host if the stop takes longer than `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export type HostProcess = {
  child: ChildProcess;
  /** Starts a replica of a service. @throws if it does not start, or the host exits */
  start(service: HostedStart): Promise<HostedService>;
  /** Whether it still runs: a defect of a service ends it. */
  isAlive(): boolean;
};

type HostOptions = Pick<SpawnOptions, 'cwd' | 'detached'> & {
  env: Readonly<Record<string, string | undefined>>;
  /** Shown in the command line of the process. */
  name: string;
  nodeFlags?: readonly string[];
  /** Receives stdout and stderr: a file descriptor, or `pipe`. */
  output: number | 'pipe';
};

export function startHost({ env, name, nodeFlags = [], output, ...options }: HostOptions): HostProcess {
  const main = fileURLToPath(new URL('./host-main.ts', import.meta.url));
  const child = spawn(process.execPath, [...nodeFlags, main, name], {
    ...options,
    env: { ...env },
    stdio: ['ignore', output, output, 'ipc'],
  });
  const ask = createAsker(child);
  // This process exits although the host runs; the host drains and ends then.
  child.unref();
  child.channel?.unref();
  const isAlive = () =>
    child.pid !== undefined && !child.killed && child.exitCode === null && child.signalCode === null;
  return {
    child,
    isAlive,
    async start(service) {
      const { id, url } = await ask((id) => ({ ...service, kind: 'start', id }));
      const stop = async (timeoutMs: number) => {
        if (!isAlive()) return;
        const limit = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
        // A host that has exited has stopped the service.
        await ask((stopId) => ({ kind: 'stop', id: stopId, of: id }))
          .catch((error: unknown) => {
            if (isAlive()) throw error;
          })
          .finally(() => clearTimeout(limit));
      };
      return { url, stop };
    },
  };
}

/** Sends a command and resolves with its answer. */
function createAsker(child: ChildProcess) {
  const waiting = new Map<number, (answer: HostAnswer) => void>();
  let last = 0;
  const settle = (answer: HostAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
    if (waiting.size === 0) child.channel?.unref();
  };
  const refuse = (id: number) => settle({ id, error: 'The service host has exited.' });
  const refuseAll = () => [...waiting.keys()].forEach(refuse);
  child.on('message', (message) => settle(hostAnswerSchema.parse(message)));
  child.once('exit', refuseAll);
  child.once('error', refuseAll);
  return async (create: (id: number) => HostCommand): Promise<HostAnswer> => {
    last += 1;
    const command = create(last);
    const answer = await new Promise<HostAnswer>((resolve) => {
      waiting.set(command.id, resolve);
      // Keeps this process alive until the answer.
      child.channel?.ref();
      if (child.connected) child.send(command);
      else refuse(command.id);
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  };
}
