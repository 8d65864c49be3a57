// Keeps a server up: one that ends without having been asked to is reported and started again on the port that it had, because
// the services know it by that address and connect again by themselves. One that dies too often in too short a time stays down.
import { setTimeout as pause } from 'node:timers/promises';
import type { RunningServer } from '@millrace/servers';
import { DEFAULT_RESTART_POLICY, createRestarts, type RestartPolicy } from './restart-policy.ts';

export type KeptServer = {
  /** Ends it and starts it no more. */
  stop(): Promise<void>;
};

export type KeepServerOptions<S extends RunningServer> = {
  name: string;
  server: S;
  /** Starts it again, on the addresses of `before`. */
  restart: (before: S) => Promise<S>;
  report: (line: string) => void;
  policy?: RestartPolicy;
};

export function keepServer<S extends RunningServer>(options: KeepServerOptions<S>): KeptServer {
  const { name, restart, report, policy = DEFAULT_RESTART_POLICY } = options;
  let { server } = options;
  const stopping = new AbortController();
  const restarts = createRestarts(policy);

  /** Returns undefined if the server does not start; that counts as a death too. */
  async function startAgain(): Promise<S | undefined> {
    try {
      return await restart(server);
    } catch (error) {
      report(`${name} could not be started again: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async function keepUp(): Promise<void> {
    let reason = `ended (code ${await server.exited})`;
    while (!stopping.signal.aborted) {
      const delayMs = restarts.nextRestartDelay();
      if (delayMs === undefined) return report(`${name} ${reason} again and stays down: ${server.logFile}`);
      report(`${name} ${reason}; started again in ${delayMs / 1_000} s. Its log: ${server.logFile}`);
      await pause(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      const next = await startAgain();
      if (next) server = next;
      // A concurrent stop has ended the previous server.
      if (stopping.signal.aborted) return server.stop();
      reason = next ? `ended (code ${await server.exited})` : 'did not start';
    }
  }

  const kept = keepUp();
  return {
    async stop() {
      stopping.abort();
      await server.stop();
      await kept;
    },
  };
}
