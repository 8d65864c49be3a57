// The development stand-in for a model provider, started where there is no OPENAI_API_KEY: a supervised process like the others,
// but one that the services must be told the address of, so its port is picked before it starts and stays the same over restarts.
import { setTimeout as pause } from 'node:timers/promises';
import { pickFreePort } from '@millrace/servers';
import type { RestartPolicy } from './restart-policy.ts';
import { superviseService, type SupervisedService } from './supervise-service.ts';
import type { Environment } from './backing-servers.ts';
import { environmentOf } from './service-environment.ts';
import { mainOf } from './service-table.ts';
import type { StateDir } from './state-dir.ts';

export type StandInModel = { url: string; service: SupervisedService };

export type StandInOptions = {
  checkout: string;
  state: StateDir;
  env: Environment;
  report: (line: string) => void;
  signal: AbortSignal;
  restartPolicy?: RestartPolicy;
};

const READY_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 20;

/** Answers once it serves. `add` gets what stops it as soon as there is something to stop. */
export async function startStandInModel(
  { checkout, state, env, report, signal, restartPolicy: policy }: StandInOptions,
  add: (stop: () => Promise<void>) => void,
): Promise<StandInModel> {
  // Somebody else may take it in between: then the stand-in dies, is started again and, if the port stays taken, given up.
  const port = await pickFreePort();
  const url = `http://127.0.0.1:${port}`;
  const name = 'dev-model';
  const service = superviseService({
    spec: {
      name,
      main: mainOf(checkout, name),
      env: {
        ...environmentOf(env, ['LOG_LEVEL']),
        PORT: String(port),
        HOST: '127.0.0.1',
        NODE_COMPILE_CACHE: state.compileCache,
      },
    },
    logFile: state.log(name),
    report,
    ...(policy && { policy }),
  });
  add(() => service.stop());
  const asking = new AbortController();
  const healthy = untilHealthy(`${url}/healthz`, AbortSignal.any([signal, asking.signal]));
  const outcome = await Promise.race([service.gaveUp, healthy]).finally(() => asking.abort());
  if (outcome !== undefined) throw new Error(outcome);
  return { url, service };
}

/** Undefined once it answers; otherwise why it was given up. */
async function untilHealthy(url: string, signal: AbortSignal): Promise<string | undefined> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const response = await fetch(url, { signal }).catch(() => undefined);
    if (response?.ok) return undefined;
    await pause(POLL_INTERVAL_MS, undefined, { signal });
  }
  return `dev-model did not answer at ${url} in ${READY_TIMEOUT_MS / 1_000} s`;
}
