// A nats-server for the tests of one file, with JetStream. The tests can stop it, kill it and start it again at the same address with the same
// data. A server that they leave running serves the next files of the worker, without its streams.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locateSeedFile } from '@millrace/identity';
import { startNats, type NatsServer } from '@millrace/servers';
import { createBusUsers, readBusUsers, type BusUsers } from './bus-users.ts';
import { findNatsProgram, returnNats, takeNats, type PooledNats } from './nats-pool.ts';
import { afterAll, beforeAll } from 'vitest';

export type TestNats = {
  /** The same for the whole file. */
  readonly url: string;
  /** The monitoring pages, for example `<monitorUrl>/connz`. A new one after each start. */
  readonly monitorUrl: string;
  /** Empty without a listener. */
  readonly webSocketUrl: string;
  readonly pid: number;
  /** Folder with the keys of the roles; absent with an authorization of the test's own. */
  readonly keys: string | undefined;
  /** Restarts the server at the same address with the data of JetStream. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The seed of a role's key. */
  readSeed(role: string): string;
  /** Gives a role a new key; the server knows it after its next start. */
  rotateKey(role: string): Promise<void>;
  /** SIGKILL: clients see the connection break. */
  kill(): Promise<void>;
};

/** A cold cache fetches the server first. */
const START_TIMEOUT_MS = 120_000;

export type TestNatsOptions = {
  /** Text of the configuration file; a function is called before each start. */
  extraConfig?: string | (() => string);
  /** Port of the WebSocket listener; 0: one that is free. Absent: no listener. */
  webSocketPort?: number;
};

/**
 * Call it at the top of a test file, or in a describe, before useBus and useService: resources are released in reverse
 * order.
 */
export function useNats({ extraConfig = '', webSocketPort }: TestNatsOptions = {}): TestNats {
  let storeDir: string | undefined;
  let users: BusUsers | undefined;
  let server: NatsServer | undefined;
  let isAlive = false;
  /** A server that later files may use, because no test has stopped it or rotated a key. */
  let pooled: PooledNats | undefined;

  const start = async () => {
    storeDir ??= await mkdtemp(join(tmpdir(), 'millrace-nats-'));
    const port = server ? Number(new URL(server.url).port) : 0;
    const own = typeof extraConfig === 'string' ? extraConfig : extraConfig();
    if (!/^\s*(?:authorization|accounts|no_auth_user|operator)\b/m.test(own)) users ??= await createBusUsers();
    const config = `${own}\n${users?.config ?? ''}`;
    const listener = webSocketPort === undefined ? {} : { webSocketPort };
    const program = await findNatsProgram();
    follow(await startNats({ storeDir, port, extraConfig: config, program, ...listener }));
  };
  const startFirst = async () => {
    if (extraConfig !== '' || webSocketPort !== undefined) return start();
    pooled = await takeNats();
    ({ storeDir, users } = pooled);
    follow(pooled.server);
  };
  const follow = (started: NatsServer) => {
    server = started;
    isAlive = true;
    void started.exited.then(() => (isAlive = false));
  };
  const running = (): NatsServer => {
    if (server === undefined) throw new Error('useNats: the server is available only while the tests run');
    return server;
  };
  const stop = async () => {
    pooled = undefined;
    await running().stop();
  };
  const kill = async () => {
    pooled = undefined;
    if (server && isAlive) process.kill(server.pid, 'SIGKILL');
    await server?.exited;
  };

  beforeAll(startFirst, START_TIMEOUT_MS);
  afterAll(async () => {
    if (pooled && isAlive) return returnNats(pooled);
    // A server that stops in good order writes its streams first, 0.2 s, and its store is removed here.
    await kill();
    for (const dir of [storeDir, users?.keys]) if (dir !== undefined) await rm(dir, { recursive: true, force: true });
  });

  return {
    get url() {
      return running().url;
    },
    get monitorUrl() {
      return running().monitorUrl;
    },
    get webSocketUrl() {
      return running().webSocketUrl ?? '';
    },
    get pid() {
      // The test may signal the process.
      pooled = undefined;
      return running().pid;
    },
    get keys() {
      return users?.keys;
    },
    start,
    stop,
    readSeed: (role) => readFileSync(locateSeedFile(users?.keys ?? '', role), 'utf8').trim(),
    rotateKey: async (role) => {
      pooled = undefined;
      users = await readBusUsers(users?.keys ?? '', role);
    },
    kill,
  };
}
