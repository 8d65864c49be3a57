// NATS and Redis of the load with their stores: faults hit them like the services, and they restart with their stored
// data.
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { connectBus, startNats, startRedis } from '@millrace/testkit/bench';
import { z } from 'zod';
import type { Blow } from './faults.ts';

export type StruckServer = {
  url(): string;
  port(): number;
  pid(): number;
  /** Ends the server: at once, or as an operator would. */
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

/** Store limit of NATS, so that it can be filled. */
const MAX_STORE_MB = 192;
const FILLER_BYTES = 7 * 1024 * 1024;
const MIN_FILLER_BYTES = 64;
const FILL_WITHIN_MS = 10_000;

export function startStruckNats(dir: string): Promise<StruckServer> {
  const storeDir = join(dir, 'nats');
  const extraConfig = `jetstream { store_dir: ${JSON.stringify(storeDir)}, max_file_store: ${MAX_STORE_MB}MB }`;
  return struck((port) => startNats({ storeDir, port, extraConfig }));
}

/** Fills the remaining room of JetStream. Resolves to a function that frees it. */
export async function fillNats(url: string): Promise<() => Promise<void>> {
  const bus = await connectBus({ servers: url, name: 'filler' });
  const ask = async (subject: string, data: string | Uint8Array = '') =>
    answerSchema.parse((await bus.nc.request(subject, data, { timeout: FILL_WITHIN_MS })).json());
  await ask('$JS.API.STREAM.CREATE.FILLER', JSON.stringify({ name: 'FILLER', subjects: ['filler'], storage: 'file' }));
  for (let bytes = FILLER_BYTES; bytes >= MIN_FILLER_BYTES;) {
    const { error } = await ask('filler', Buffer.alloc(bytes));
    if (error) bytes /= 2;
  }
  return async () => {
    await ask('$JS.API.STREAM.DELETE.FILLER');
    await bus.close();
  };
}
const answerSchema = z.object({ error: z.object({ description: z.string() }).optional() });

export function startStruckRedis(dir: string): Promise<StruckServer> {
  return struck(async (port) => {
    const started = await startRedis({ dataDir: join(dir, 'redis'), port });
    if (started.kind !== 'running') throw new Error(`The faults need a Redis: ${started.reason}`);
    return started;
  });
}

/** @param bytes 0: no limit. A full Redis rejects writes. */
export async function limitRedis(port: number, bytes: number): Promise<void> {
  await configureRedis(port, 'maxmemory', bytes);
}

/** Off: Redis rejects writes and answers reads, like a replica without its primary. */
export async function writableRedis(port: number, isWritable: boolean): Promise<void> {
  await configureRedis(port, 'min-replicas-to-write', isWritable ? 0 : 1);
}

async function configureRedis(port: number, name: string, value: number): Promise<void> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  socket.end(`CONFIG SET ${name} ${value}\r\nQUIT\r\n`);
  socket.resume();
  await once(socket, 'close');
}
