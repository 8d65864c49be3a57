// Runs a redis-server of a test file's own with its append-only file on, as a program of this machine: the file stops, kills, freezes or
// configures it, or counts all its commands, which would disturb the files that share the Redis of the run. The server restarts at the same
// address with the same data. Without the program the file's tests are skipped with the reason.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis, type RedisServer } from '@millrace/servers';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { TestRedis } from './redis.ts';
import { USERS_CONFIG, USERS_ONLY_CONFIG, addRedisUser } from './redis-users.ts';

export type OwnRedis = TestRedis & {
  readonly pid: number;
  /** Restarts the server at the same address with the data of the append-only file. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** SIGKILL: nothing is written down on the way out. */
  kill(): Promise<void>;
};

type OwnRedisOptions = { extraConfig?: string; usersOnly?: boolean };

/** A cold cache fetches the server first. */
const START_TIMEOUT_MS = 120_000;

/**
 * Call it at the top of a test file, or in a describe.
 * @param extraConfig further lines of redis.conf
 * @param usersOnly refuses connections without credentials, as the ACL file of production does
 */
export function useOwnRedis({ extraConfig = '', usersOnly = false }: OwnRedisOptions = {}): OwnRedis {
  let dataDir: string | undefined;
  let server: RedisServer | undefined;
  let unavailable: string | undefined;

  const start = async () => {
    dataDir ??= await mkdtemp(join(tmpdir(), 'millrace-redis-'));
    const port = server ? Number(new URL(server.url).port) : 0;
    const started = await startRedis({
      dataDir,
      port,
      extraConfig: `${usersOnly ? USERS_ONLY_CONFIG : USERS_CONFIG}\n${extraConfig}`,
    });
    if (started.kind === 'running') server = started;
    else unavailable = started.reason;
  };
  const running = (): RedisServer => {
    if (server === undefined) throw new Error('useOwnRedis: the server is there only while the tests run');
    return server;
  };

  beforeAll(start, START_TIMEOUT_MS);
  beforeEach(({ skip }) => {
    if (unavailable !== undefined) skip(`no Redis: ${unavailable}`);
  });
  afterAll(async () => {
    await server?.stop();
    if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
  });

  return {
    get available() {
      return unavailable === undefined;
    },
    get url() {
      return running().url;
    },
    urlAs: (user) => addRedisUser(running().url, user),
    get pid() {
      return running().pid;
    },
    start,
    stop: () => running().stop(),
    kill: async () => {
      const { pid, exited } = running();
      process.kill(pid, 'SIGKILL');
      await exited;
    },
  };
}
