// A TCP proxy before a server with connections that can be cut: closed, or silent in one direction or both while the
// sockets stay open.
import { createConnection, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

/** `closed`: connections break and new ones are rejected. Otherwise the proxy drops the bytes of that direction. */
export type CutMode = 'closed' | 'silent' | 'to-server' | 'from-server';

export type CutProxy = {
  port: number;
  cutConnections(mode: CutMode): void;
  /** Ends the cut and closes its connections, because bytes are missing. */
  restore(): void;
  close(): Promise<void>;
};

export async function startCutProxy(serverPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let cut: CutMode | undefined;
  const passes = (direction: 'to-server' | 'from-server') =>
    cut === undefined || (cut !== 'silent' && cut !== 'closed' && cut !== direction);
  const server = createServer((client) => {
    if (cut === 'closed') return void client.destroy();
    const upstream = createConnection({ port: serverPort, host: '127.0.0.1' });
    join(client, upstream, () => passes('to-server'));
    join(upstream, client, () => passes('from-server'));
  });
  const join = (from: Socket, to: Socket, open: () => boolean) => {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => void (open() && to.write(bytes)));
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    from.on('error', () => from.destroy());
  };
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cutConnections(mode) {
      cut = mode;
      if (mode === 'closed') closeAll();
    },
    restore() {
      cut = undefined;
      closeAll();
    },
    async close() {
      closeAll();
      server.close();
      await once(server, 'close');
    },
  };
}
