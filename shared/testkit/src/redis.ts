// Runs a redis-server for a test file with its append-only file on. Tests can stop, kill and restart it at the same
// address with the same data. Without Redis the file's tests are skipped with the reason.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REDIS_USERS, describeRedisUser, writeRedisUsers } from '@millrace/identity';
import { startRedis, type RedisServer } from '@millrace/servers';
import { afterAll, beforeAll, beforeEach } from 'vitest';

export type TestRedis = {
  /** False if this machine has no Redis: every test below is skipped, hooks run. */
  readonly available: boolean;
  /** The same for the whole file. */
  readonly url: string;
  /** The address with the credentials of a service's own user, which is restricted to the service's keys. */
  urlAs(user: string): string;
  readonly pid: number;
  /** Restarts the server at the same address with the data of the append-only file. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** SIGKILL: nothing is written down on the way out. */
  kill(): Promise<void>;
  /** Returns everything that was ever written to it, from its files, to search for data that must not be stored. */
  readWritten(): Promise<string>;
};

const PASSWORD = 'password-of-tests';
/** Beside the default user, which has all permissions. */
const USERS = REDIS_USERS.map((user) => describeRedisUser(user, PASSWORD)).join('\n');
/** As in production: no connection without credentials. */
const USERS_ONLY = writeRedisUsers(Object.fromEntries(REDIS_USERS.map(({ name }) => [name, PASSWORD])));

type UseRedisOptions = { extraConfig?: string; usersOnly?: boolean };

/** A cold cache fetches the server first. */
const START_TIMEOUT_MS = 120_000;

/**
 * Call it at the top of a test file, or in a describe.
 * @param extraConfig further lines of redis.conf
 * @param usersOnly refuses connections without credentials, as the ACL file of production does
 */
export function useRedis({ extraConfig = '', usersOnly = false }: UseRedisOptions = {}): TestRedis {
  let dataDir: string | undefined;
  let server: RedisServer | undefined;
  let unavailable: string | undefined;

  const start = async () => {
    dataDir ??= await mkdtemp(join(tmpdir(), 'millrace-redis-'));
    const port = server ? Number(new URL(server.url).port) : 0;
    const started = await startRedis({
      dataDir,
      port,
      extraConfig: `${usersOnly ? USERS_ONLY : USERS}\n${extraConfig}`,
    });
    if (started.kind === 'running') server = started;
    else unavailable = started.reason;
  };
  const running = (): RedisServer => {
    if (server === undefined) throw new Error('useRedis: the server is there only while the tests run');
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
    urlAs(user) {
      const url = new URL(running().url);
      return Object.assign(url, { username: user, password: PASSWORD }).href;
    },
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
    async readWritten() {
      const folder = dataDir ?? '';
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return (await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))).join(
        '\n',
      );
    },
  };
}
