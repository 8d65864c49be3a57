// Passes the servers of the run from the global setup to the workers.
import { inject } from 'vitest';

/** The part of a server that workers receive. */
export type ServerAddress = { url: string; apiKey?: string } | { unavailable: string };
export type RunServers = { redis: ServerAddress; qdrant: ServerAddress };

declare module 'vitest' {
  interface ProvidedContext {
    servers: RunServers;
  }
}

export const readServers = (): RunServers => inject('servers');
