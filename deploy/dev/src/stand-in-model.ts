// Starts dev-model as the model provider if OPENAI_API_KEY is not set: a supervised service with an
// address that the services need, so its port is chosen before it starts and kept over restarts.
import { setTimeout as pause } from 'node:timers/promises';
import { pickFreePort } from '@millrace/servers';
import { startReplicas, type ServiceReplicas } from './replicas.ts';
import type { RestartPolicy } from './restart-policy.ts';
import type { StackEnvironment } from './backing-servers.ts';
import { pickVariables } from './service-environment.ts';
import type { LocalHost } from './service-host.ts';
import { resolveMain } from './service-table.ts';
import type { StateDir } from './state-dir.ts';

export type StandInModel = { url: string; service: ServiceReplicas };

export type StandInOptions = {
  checkout: string;
  state: StateDir;
  env: StackEnvironment;
  report: (line: string) => void;
  signal: AbortSignal;
  restartPolicy?: RestartPolicy;
  /** Runs it. Absent: a process of its own. */
  host?: LocalHost | undefined;
};

const READY_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 20;

/** Resolves once it serves. `add` receives the stop function as soon as a process exists. */
export async function startStandInModel(
  { checkout, state, env, report, signal, restartPolicy: policy, host }: StandInOptions,
  add: (stop: () => Promise<void>) => void,
): Promise<StandInModel> {
  // Another process may take the port in between: then dev-model dies, restarts and, if the port remains taken,
  // gives up.
  const port = await pickFreePort();
  const url = `http://127.0.0.1:${port}`;
  const name = 'dev-model';
  const service = startReplicas({
    spec: {
      name,
      main: resolveMain(checkout, name),
      env: {
        ...pickVariables(env, ['LOG_LEVEL']),
        PORT: String(port),
        HOST: '127.0.0.1',
        NODE_COMPILE_CACHE: state.compileCache,
      },
    },
    logFile: state.log(name),
    report,
    ...(policy && { policy }),
    ...(host && { startProcess: host.start }),
  });
  add(() => service.stop());
  const asking = new AbortController();
  const healthy = waitUntilHealthy(`${url}/healthz`, AbortSignal.any([signal, asking.signal]));
  const outcome = await Promise.race([service.gaveUp, healthy]).finally(() => asking.abort());
  if (outcome !== undefined) throw new Error(outcome);
  return { url, service };
}

/** Undefined once it answers; otherwise why it was given up. */
async function waitUntilHealthy(url: string, signal: AbortSignal): Promise<string | undefined> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const response = await fetch(url, { signal }).catch(() => undefined);
    if (response?.ok) return undefined;
    await pause(POLL_INTERVAL_MS, undefined, { signal });
  }
  return `dev-model did not answer at ${url} in ${READY_TIMEOUT_MS / 1_000} s`;
}
