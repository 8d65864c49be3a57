// Chooses a port for servers that cannot choose one. Another process may take the system's choice before the server
// does; then another port is tried.
import { createServer } from 'node:net';
import { ServerError } from './server-error.ts';

const MAX_PORT_ATTEMPTS = 5;

/** Calls `launch` with a free port of 127.0.0.1, and again with another port if the server reports that it is taken. */
export async function launchOnFreePort<T>(launch: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(await pickFreePort());
    } catch (error) {
      if (!isPortTaken(error) || attempt === MAX_PORT_ATTEMPTS) throw error;
    }
  }
}

/** Returns true if the server has failed because another process has its port. */
export const isPortTaken = (error: unknown): boolean =>
  error instanceof ServerError && error.code === 'start-failed' && /address.* in use/i.test(error.message);

export const pickFreePort = (): Promise<number> => listenOnce(0);

/** Returns true if a server can listen on the port of 127.0.0.1. */
export const isPortFree = (port: number): Promise<boolean> =>
  listenOnce(port).then(
    () => true,
    () => false,
  );

/** Listens and closes again. Returns the port. */
function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(bound));
    });
  });
}
