// A TCP balancer for tests: each new connection reaches the first address, or the second one if the first refuses.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type Balancer = { url: string; close(): Promise<void> };

/** @param urls of HTTP servers on this machine */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => void join(keep(client)));
  const join = async (client: Socket) => {
    client.on('error', () => undefined);
    for (const url of urls) {
      const upstream = await open(url);
      if (!upstream) continue;
      keep(upstream).on('error', () => client.destroy());
      upstream.once('close', () => client.destroy());
      client.once('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
      return;
    }
    client.destroy();
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the balancer does not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function open(url: string): Promise<Socket | undefined> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return undefined;
  }
}
