// Keeps one service up: starts it, says when it died, starts it again as the restart policy has it, and says when it stays down.
import { setTimeout as pause } from 'node:timers/promises';
import { tailOf } from './log-file.ts';
import { DEFAULT_RESTART_POLICY, createRestarts, type RestartPolicy } from './restart-policy.ts';
import { startServiceProcess, type Exit, type ServiceProcess, type ServiceSpec } from './service-process.ts';

export type SuperviseOptions = {
  spec: ServiceSpec;
  logFile: string;
  /** Gets a line about every death, restart and giving up. */
  report: (line: string) => void;
  policy?: RestartPolicy;
  stopTimeoutMs?: number;
};

export type SupervisedService = {
  name: string;
  logFile: string;
  /** Of the process that runs now; undefined while none does. */
  pid(): number | undefined;
  /** Resolves with the reason once the service stays down. Stays pending otherwise, also after a stop. */
  gaveUp: Promise<string>;
  /** Ends it and starts it no more. Any number of calls; answers when the process is gone. */
  stop(): Promise<void>;
};

export function superviseService(options: SuperviseOptions): SupervisedService {
  const { spec, logFile, report, policy = DEFAULT_RESTART_POLICY, stopTimeoutMs } = options;
  const stopping = new AbortController();
  let current: ServiceProcess | undefined;
  let tellGivenUp: (reason: string) => void = () => {};
  const gaveUp = new Promise<string>((resolve) => (tellGivenUp = resolve));

  async function live(): Promise<Exit> {
    try {
      current = await startServiceProcess(spec, logFile, stopTimeoutMs);
      // A stop that came while it was being started has not seen it.
      if (stopping.signal.aborted) await current.stop();
      return await current.exited;
    } catch (error) {
      return { code: null, said: `could not be started: ${String(error)}` };
    } finally {
      current = undefined;
    }
  }

  async function keepUp(): Promise<void> {
    const restarts = createRestarts(policy);
    for (;;) {
      const { said } = await live();
      if (stopping.signal.aborted) return;
      const delayMs = restarts.afterDeath();
      if (delayMs === undefined) {
        const reason = `${spec.name} ${said}, ${policy.maxDeaths} times in ${seconds(policy.windowMs)}, and stays down`;
        report(`${reason}. ${await lastWords(logFile)}`);
        return tellGivenUp(reason);
      }
      report(`${spec.name} ${said}; started again in ${seconds(delayMs)}. ${await lastWords(logFile)}`);
      await pause(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
    }
  }

  const ended = keepUp();
  return {
    name: spec.name,
    logFile,
    pid: () => current?.pid,
    gaveUp,
    async stop() {
      stopping.abort();
      await current?.stop();
      await ended;
    },
  };
}

const seconds = (ms: number): string => `${ms / 1_000} s`;

async function lastWords(logFile: string): Promise<string> {
  const line = (await tailOf(logFile)).split('\n').at(-1) ?? '';
  return line === '' ? `It wrote nothing: ${logFile}` : `Its last line: ${line} (${logFile})`;
}
