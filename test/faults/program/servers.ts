// NATS and Redis of the load, with their stores: struck like the services, and started again with what they had stored.
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { startNats, startRedis } from '@millrace/testkit/bench';
import type { Blow } from './faults.ts';

export type StruckServer = {
  url(): string;
  port(): number;
  pid(): number;
  /** Ends it: at once, or as an operator would. */
  end(how: Exclude<Blow, 'stop'>): Promise<void>;
  startAgain(): Promise<void>;
};

type Running = { url: string; pid: number; stop(): Promise<void>; exited: Promise<unknown> };

async function struck(start: (port: number) => Promise<Running>): Promise<StruckServer> {
  let server = await start(0);
  const port = Number(new URL(server.url).port);
  return {
    url: () => server.url,
    port: () => port,
    pid: () => server.pid,
    async end(how) {
      if (how === 'term') return server.stop();
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
    },
    startAgain: async () => void (server = await start(port)),
  };
}

export function startStruckNats(dir: string): Promise<StruckServer> {
  return struck((port) => startNats({ storeDir: join(dir, 'nats'), port }));
}

export function startStruckRedis(dir: string): Promise<StruckServer> {
  return struck(async (port) => {
    const started = await startRedis({ dataDir: join(dir, 'redis'), port });
    if (started.kind !== 'running') throw new Error(`The faults need a Redis: ${started.reason}`);
    return started;
  });
}

/** @param bytes 0: as much as there is. A Redis that is full refuses writes. */
export async function limitRedis(port: number, bytes: number): Promise<void> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  socket.end(`CONFIG SET maxmemory ${bytes}\r\nQUIT\r\n`);
  socket.resume();
  await once(socket, 'close');
}
