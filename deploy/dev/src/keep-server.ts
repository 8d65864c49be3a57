// Keeps a server up: one that ends without having been asked to is reported and started again on the port that it had, because
// the services know it by that address and connect again by themselves. Bounded: then it stays down, and that is said.
import type { RunningServer } from '@millrace/servers';

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
  maxRestarts?: number;
};

const DEFAULT_MAX_RESTARTS = 5;

export function keepServer<S extends RunningServer>(options: KeepServerOptions<S>): KeptServer {
  const { name, restart, report, maxRestarts = DEFAULT_MAX_RESTARTS } = options;
  let { server } = options;
  let isStopping = false;

  async function keepUp(): Promise<void> {
    for (let restarts = 0; ; restarts += 1) {
      const code = await server.exited;
      if (isStopping) return;
      if (restarts === maxRestarts) return report(`${name} ended again and stays down: ${server.logFile}`);
      report(`${name} ended (code ${code}); started again. Its log: ${server.logFile}`);
      try {
        server = await restart(server);
      } catch (error) {
        return report(`${name} could not be started again: ${error instanceof Error ? error.message : String(error)}`);
      }
      // A stop that came in the meantime ended the one before.
      if (isStopping) return server.stop();
    }
  }

  const kept = keepUp();
  return {
    async stop() {
      isStopping = true;
      await server.stop();
      await kept;
    },
  };
}
