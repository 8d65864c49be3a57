// Gives a test file a database of its own in the Redis of the run. Without Redis the file's tests are skipped with the reason. A file that
// stops, kills or configures its server calls useOwnRedis.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { eventually } from '../run/eventually.ts';
import { readServers } from './provided-servers.ts';
import { addRedisUser } from './redis-users.ts';

export type TestRedis = {
  /** False if this machine has no Redis: every test below is skipped, hooks run. */
  readonly available: boolean;
  /** The same for the whole file. */
  readonly url: string;
  /** The address with the credentials of a service's own user, which is restricted to the service's keys. */
  urlAs(user: string): string;
};

/** Counts the databases that files have taken. */
const COUNTER = 'databases';

/** Call it at the top of a test file, or in a describe. */
export function useRedis(): TestRedis {
  const { redis } = readServers();
  let url: string | undefined;
  const readUrl = (): string => {
    if (url === undefined) throw new Error('useRedis: the database is there only while the tests run');
    return url;
  };
  beforeAll(async () => {
    if ('url' in redis) url = await takeDatabase(redis.url);
  });
  beforeEach(({ skip }) => {
    if ('unavailable' in redis) skip(`no Redis: ${redis.unavailable}`);
  });
  return {
    available: 'url' in redis,
    get url() {
      return readUrl();
    },
    urlAs: (user) => addRedisUser(readUrl(), user),
  };
}

/** Database 0 has the counter. */
async function takeDatabase(url: string): Promise<string> {
  const redis = new Redis(url);
  const database = await redis.incr(COUNTER);
  await redis.quit();
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}

/** Records the commands to a file's database. @returns resolves with all commands so far, to search for data that must not be stored */
export function useRedisRecord(server: TestRedis): () => Promise<string> {
  const commands: string[] = [];
  let redis: Redis | undefined;
  let monitor: Redis | undefined;
  beforeAll(async () => {
    if (!server.available) return;
    redis = new Redis(server.url);
    monitor = await redis.monitor();
    const own = new URL(server.url).pathname.slice(1);
    monitor.on('monitor', (_time: string, args: string[], _source: string, database: string) => {
      if (database === own) commands.push(args.join(' '));
    });
  });
  afterAll(() => [monitor, redis].forEach((connection) => connection?.disconnect()));
  return async () => {
    // The server reports commands in their order.
    const last = crypto.randomUUID();
    await redis?.echo(last);
    await eventually(async () => commands.some((command) => command.endsWith(last)));
    return commands.join('\n');
  };
}
