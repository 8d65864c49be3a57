// Starts the service host of a worker: one process for the services of its stacks that need none of their own. A process costs a service a
// second of processor time, most of it for modules that the other services load too.
import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { hostLineSchema, type HostAnswer, type HostCommand } from './host-protocol.ts';
import { eventually } from './eventually.ts';
import { inheritedEnv } from './inherited-env.ts';
import { exemptProcess } from './open-things.ts';
import { STOP_TIMEOUT_MS } from './service-processes.ts';

export type HostedService = {
  /** Address of the model server. */
  url: string | undefined;
  stop(): Promise<void>;
};

export type ServiceHost = {
  /** Starts a replica of a service. @throws with the output of the host if it does not start */
  start(service: string, env: Record<string, string>): Promise<HostedService>;
  /** Returns the log lines of a service since the start of its oldest running replica that logs, or of the last one. */
  log(service: string): string;
  /** Whether it still runs: a defect of a service ends it. */
  isAlive(): boolean;
};

/** As for the workers, in vitest.config.ts: a larger young generation. */
const HEAP_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=64', '--initial-old-space-size=256'];

export function startServiceHost(): ServiceHost {
  const main = fileURLToPath(new URL('./service-host-main.ts', import.meta.url));
  const child = spawn(process.execPath, [...HEAP_FLAGS, main], {
    env: { PATH: process.env['PATH'] ?? '', ...inheritedEnv() },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (child.pid !== undefined) exemptProcess(child.pid);
  const logs = new Map<string, string[]>();
  const running = new Map<string, number>();
  let others = '';
  const { ask, settle } = createAsker(child, () => others);
  const readLine = (line: string) => {
    const read = parseLine(line);
    if (read === undefined) others += `${line}\n`;
    else if ('answer' in read) settle(read.answer);
    else (logs.get(read.service) ?? logs.set(read.service, []).get(read.service))?.push(line);
  };
  for (const pipe of [child.stdout, child.stderr]) {
    if (pipe) createInterface({ input: pipe }).on('line', readLine);
    // The worker exits although the host runs; the host ends then.
    if (pipe instanceof Socket) pipe.unref();
  }
  child.unref();
  child.channel?.unref();
  const isAlive = () => !child.killed && child.exitCode === null && child.signalCode === null;
  const count = (service: string, more: number) => running.set(service, (running.get(service) ?? 0) + more);
  return {
    async start(service, env) {
      const isSilent = env['LOG_LEVEL'] === 'silent';
      if (!isSilent && !running.get(service)) logs.delete(service);
      const before = countStarts(logs.get(service), service);
      if (!isSilent) count(service, 1);
      const { id, url } = await ask((id) => ({ kind: 'start', id, service, env })).catch((cause: unknown) => {
        // Further commands may wait for servers that are about to end: the next stack has a host of its own.
        child.kill('SIGKILL');
        throw new Error(`${service} did not start. Its log: ${(logs.get(service) ?? []).join('\n')}`, { cause });
      });
      // pino writes asynchronously: the log of the start may follow the answer.
      if (service !== 'dev-model' && LOGGED.includes(env['LOG_LEVEL'] ?? ''))
        await eventually(() => countStarts(logs.get(service), service) > before, { timeoutMs: LOG_TIMEOUT_MS });
      const stop = async () => {
        if (!isSilent) count(service, -1);
        if (!isAlive()) return;
        const limit = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
        await ask((stopId) => ({ kind: 'stop', id: stopId, of: id })).finally(() => clearTimeout(limit));
      };
      return { url, stop };
    },
    log: (service) => (logs.get(service) ?? []).map((line) => `${line}\n`).join(''),
    isAlive,
  };
}

const LOG_TIMEOUT_MS = 30_000;
/** Levels at which a service logs that it has started. */
const LOGGED = ['info', 'debug', 'trace'];
const countStarts = (lines: readonly string[] = [], service: string): number =>
  lines.filter((line) => line.includes(`"msg":"${service} is up"`)).length;

function parseLine(line: string) {
  try {
    return hostLineSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** `ask` sends a command and resolves when `settle` receives its answer. @param readOutput output of the host without log lines */
function createAsker(child: ChildProcess, readOutput: () => string) {
  const waiting = new Map<number, (answer: HostAnswer) => void>();
  let last = 0;
  const settle = (answer: HostAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
    if (waiting.size === 0) child.channel?.unref();
  };
  const refuse = (id: number) => settle({ id, error: `The service host has exited: ${readOutput()}` });
  child.once('exit', () => [...waiting.keys()].forEach(refuse));
  const ask = async (create: (id: number) => HostCommand): Promise<HostAnswer> => {
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
  return { ask, settle };
}
