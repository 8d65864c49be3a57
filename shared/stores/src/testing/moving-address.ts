// An address that leads to one server first and to another one later, as a service's name does at a failover. Open
// connections keep their server.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type MovingAddress = { port: number; moveTo(port: number): void; close(): Promise<void> };

export async function movingAddress(firstPort: number): Promise<MovingAddress> {
  let target = firstPort;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    moveTo: (port) => void (target = port),
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
