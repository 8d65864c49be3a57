// The service host of a worker, for the services of its stacks that need no process of their own, and their logs.
import { mkdtempSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { startHost } from '@millrace/host';
import { z } from 'zod';
import { eventually } from '../run/eventually.ts';
import { inheritedEnv } from '../run/inherited-env.ts';
import { exemptProcess } from '../run/open-things.ts';
import { STOP_TIMEOUT_MS } from './service-processes.ts';

export type TestedService = {
  /** Address of the model server. */
  url: string | undefined;
  stop(): Promise<void>;
};

export type ServiceHost = {
  /** Starts a replica of a service. @throws with the output of the host if it does not start */
  start(service: string, env: Record<string, string>): Promise<TestedService>;
  /** Returns the log lines of a service since the start of its oldest running replica that logs, or of the last one. */
  log(service: string): string;
  /** Whether it still runs: a defect of a service ends it. */
  isAlive(): boolean;
};

/** As for the workers, in vitest.config.ts: a larger young generation. */
const HEAP_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=64', '--initial-old-space-size=256'];

const root = resolve(import.meta.dirname, '../../../..');
/** A line of the host's output is a log line of a service, or else belongs to none. */
const logLineSchema = z.object({ service: z.string() });

export function startServiceHost(): ServiceHost {
  // Files of an earlier process must not be found.
  const cwd = mkdtempSync(join(tmpdir(), 'millrace-host-'));
  const env = { PATH: process.env['PATH'] ?? '', ...inheritedEnv() };
  const host = startHost({ env, name: 'tests', cwd, nodeFlags: HEAP_FLAGS, output: 'pipe' });
  const { child } = host;
  const removeFolder = () => rmSync(cwd, { recursive: true, force: true });
  process.once('exit', removeFolder);
  child.once('exit', removeFolder);
  if (child.pid !== undefined) exemptProcess(child.pid);
  const logs = new Map<string, string[]>();
  const running = new Map<string, number>();
  let others = '';
  const readLine = (line: string) => {
    const service = parseService(line);
    if (service === undefined) others += `${line}\n`;
    else (logs.get(service) ?? logs.set(service, []).get(service))?.push(line);
  };
  for (const pipe of [child.stdout, child.stderr]) {
    if (pipe) createInterface({ input: pipe }).on('line', readLine);
    // The worker exits although the host runs.
    if (pipe instanceof Socket) pipe.unref();
  }
  const count = (service: string, more: number) => running.set(service, (running.get(service) ?? 0) + more);
  return {
    async start(service, env) {
      const isSilent = env['LOG_LEVEL'] === 'silent';
      if (!isSilent && !running.get(service)) logs.delete(service);
      const before = countStarts(logs.get(service), service);
      if (!isSilent) count(service, 1);
      const module = join(root, 'services', service, 'src/service.ts');
      const started = await host.start({ module, env }).catch((cause: unknown) => {
        // Further commands may wait for servers that are about to end: the next stack has a host of its own.
        child.kill('SIGKILL');
        const log = (logs.get(service) ?? []).join('\n');
        throw new Error(`${service} did not start. Its log: ${log}\nThe output of the host: ${others}`, { cause });
      });
      // The log arrives over a pipe: that of the start may follow the answer.
      if (service !== 'dev-model' && LOGGED.includes(env['LOG_LEVEL'] ?? ''))
        await eventually(() => countStarts(logs.get(service), service) > before, { timeoutMs: LOG_TIMEOUT_MS });
      const stop = async () => {
        if (!isSilent) count(service, -1);
        await started.stop(STOP_TIMEOUT_MS);
      };
      return { url: started.url && `${started.url}/v1`, stop };
    },
    log: (service) => (logs.get(service) ?? []).map((line) => `${line}\n`).join(''),
    isAlive: host.isAlive,
  };
}

const LOG_TIMEOUT_MS = 30_000;
/** Levels at which a service logs that it has started. */
const LOGGED = ['info', 'debug', 'trace'];
const countStarts = (lines: readonly string[] = [], service: string): number =>
  lines.filter((line) => line.includes(`"msg":"${service} is up"`)).length;

function parseService(line: string): string | undefined {
  try {
    return logLineSchema.parse(JSON.parse(line)).service;
  } catch {
    return undefined;
  }
}
