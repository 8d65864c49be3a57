// A redis-server of a test file's own, with its append-only file on. It can be stopped, killed and started again at the same
// address with the same data, so that tests can take it away. Where no Redis can be had, the file's tests are skipped with the
// reason.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis, type RedisServer } from '@millrace/servers';
import { afterAll, beforeAll, beforeEach } from 'vitest';

export type TestRedis = {
  /** False where this machine can have no Redis: every test below is skipped, hooks are not. */
  readonly available: boolean;
  /** The same for the whole file. */
  readonly url: string;
  readonly pid: number;
  /** Again, at the same address, with what the append-only file has. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** SIGKILL: nothing is written down on the way out. */
  kill(): Promise<void>;
  /** Everything that was ever written to it, as its files have it: what must not be stored is looked for here. */
  written(): Promise<string>;
};

/** A cold cache fetches the server first. */
const START_TIMEOUT_MS = 120_000;

/**
 * Call it at the top of a test file, or in a describe.
 * @param extraConfig further lines of redis.conf
 */
export function useRedis({ extraConfig = '' }: { extraConfig?: string } = {}): TestRedis {
  let dataDir: string | undefined;
  let server: RedisServer | undefined;
  let unavailable: string | undefined;

  const start = async () => {
    dataDir ??= await mkdtemp(join(tmpdir(), 'millrace-redis-'));
    const port = server ? Number(new URL(server.url).port) : 0;
    const started = await startRedis({ dataDir, port, extraConfig });
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
    async written() {
      const folder = dataDir ?? '';
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return (await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))).join(
        '\n',
      );
    },
  };
}
