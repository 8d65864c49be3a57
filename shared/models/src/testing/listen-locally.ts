import { once } from 'node:events';
import type { Server } from 'node:http';

/** Value for OPENAI_BASE_URL. `close` breaks open connections. */
export type LocalServer = { baseUrl: string; close(): Promise<void> };

/** Listens on a free port of this machine. */
export async function listenLocally(server: Server): Promise<LocalServer> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
