// Supervises one service: starts it, reports its death, restarts it by the restart policy, and reports when it stays
// down.
import { setTimeout as pause } from 'node:timers/promises';
import { readTail } from './log-file.ts';
import { DEFAULT_RESTART_POLICY, createRestarts, type RestartPolicy } from './restart-policy.ts';
import {
  startServiceProcess,
  type ProcessExit,
  type ServiceSpec,
  type SpawnedService,
  type StartProcess,
} from './service-process.ts';

export type SuperviseOptions = {
  spec: ServiceSpec;
  logFile: string;
  /** Gets a line about every death, restart and giving up. */
  report: (line: string) => void;
  policy?: RestartPolicy;
  /** Default: a process of its own. */
  startProcess?: StartProcess;
  stopTimeoutMs?: number;
};

export type SupervisedService = {
  name: string;
  logFile: string;
  /** Of the process that runs now; undefined while none does. */
  readPid(): number | undefined;
  /** Resolves once it has started for the first time, or with the reason why it has not. */
  started: Promise<string | undefined>;
  /** Resolves with the reason once the service stays down. Stays pending otherwise, also after a stop. */
  gaveUp: Promise<string>;
  /** Stops it permanently. Idempotent; resolves when the process has ended. */
  stop(): Promise<void>;
};

export function superviseService(options: SuperviseOptions): SupervisedService {
  const {
    spec,
    logFile,
    report,
    policy = DEFAULT_RESTART_POLICY,
    startProcess = startServiceProcess,
    stopTimeoutMs,
  } = options;
  const stopping = new AbortController();
  let current: SpawnedService | undefined;
  let reportGivenUp: (reason: string) => void = () => {};
  const gaveUp = new Promise<string>((resolve) => (reportGivenUp = resolve));

  const first = Promise.withResolvers<string | undefined>();

  async function runOnce(): Promise<ProcessExit> {
    try {
      current = await startProcess(spec, logFile, stopTimeoutMs);
      // A stop during the start has not seen the new process.
      if (stopping.signal.aborted) await current.stop();
      void current.up.then(() => first.resolve(undefined));
      return await current.exited;
    } catch (error) {
      return { code: null, reason: `could not be started: ${String(error)}` };
    } finally {
      current = undefined;
    }
  }

  async function keepUp(): Promise<void> {
    const restarts = createRestarts(policy);
    for (;;) {
      const { reason: exitReason, logFile: exitLog = logFile } = await runOnce();
      first.resolve(exitReason);
      if (stopping.signal.aborted) return;
      const delayMs = restarts.nextRestartDelay();
      if (delayMs === undefined) {
        const reason = `${spec.name} ${exitReason}, ${policy.maxDeaths} times in ${formatSeconds(policy.windowMs)}, and stays down`;
        report(`${reason}. ${await readLastLine(exitLog)}`);
        return reportGivenUp(reason);
      }
      report(`${spec.name} ${exitReason}; started again in ${formatSeconds(delayMs)}. ${await readLastLine(exitLog)}`);
      await pause(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
    }
  }

  const ended = keepUp();
  return {
    name: spec.name,
    logFile,
    readPid: () => current?.pid,
    started: first.promise,
    gaveUp,
    async stop() {
      stopping.abort();
      await current?.stop();
      await ended;
    },
  };
}

const formatSeconds = (ms: number): string => `${ms / 1_000} s`;

async function readLastLine(logFile: string): Promise<string> {
  const line = (await readTail(logFile)).split('\n').at(-1) ?? '';
  return line === '' ? `It wrote nothing: ${logFile}` : `Its last line: ${line} (${logFile})`;
}
