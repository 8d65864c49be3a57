import { eventually, useOwnRedis } from '@millrace/testkit';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeRedis, connectRedis } from './redis-connection.ts';
import { readScript, runScript, type RedisScript } from './redis-script.ts';
import { storeCalls } from './store-call.ts';
import { movingAddress, type MovingAddress } from './testing/moving-address.ts';

const answered = storeCalls('test store');
const options = (url: string, said: string[] = []) => ({
  url,
  service: 'test',
  store: 'test store',
  log: { info: (text: string) => void said.push(text), warn: (_: object, text: string) => void said.push(text) },
});
const script = (lua: string): RedisScript => ({ lua, digest: `not the digest of ${lua.length}` });
const parsePort = (url: string) => Number(new URL(url).port);

describe('a failover of Redis', () => {
  const before = useOwnRedis();
  const after = useOwnRedis();
  let address: MovingAddress;
  let redis: Redis;
  const said: string[] = [];
  beforeEach(async () => {
    address = await movingAddress(parsePort(before.url));
    redis = await connectRedis(options(`redis://127.0.0.1:${address.port}`, said));
  });
  afterEach(async () => {
    await closeRedis(redis);
    await address.close();
  });

  test('a write that meets the old primary, which is a replica now, finds the new one by a new connection', async () => {
    const write = () => answered('write', undefined, () => redis.set('key', 'value'));
    const connectByScript = () =>
      answered('write', undefined, () =>
        runScript(redis, script("return redis.call('SET', KEYS[1], 'x')"), ['key'], []),
      );
    await write();
    address.moveTo(parsePort(after.url));
    await redis.replicaof('127.0.0.1', parsePort(after.url));
    await expect(connectByScript()).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('READONLY'),
    });
    await eventually(async () => {
      await connectByScript();
      return true;
    });
    await write();
    const direct = await connectRedis(options(after.url));
    expect(await direct.get('key')).toBe('value');
    await closeRedis(direct);
    expect(said).toEqual(['the connection to Redis is lost', 'the connection to Redis is back']);
  });
});

describe('scripts of Redis', () => {
  const server = useOwnRedis();
  let redis: Redis;
  beforeEach(async () => {
    redis = await connectRedis(options(server.url));
  });
  afterEach(() => closeRedis(redis));

  test('a script travels once, and again to a server that has forgotten it', async () => {
    const file = readScript(new URL('./testing/double.lua', import.meta.url));
    const texts = async () => Number(/cmdstat_eval:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    for (let round = 0; round < 5; round++) expect(await runScript(redis, file, ['key'], [21])).toBe(42);
    expect(await texts()).toBe(1);
    await redis.script('FLUSH');
    expect(await runScript(redis, file, ['key'], [4])).toBe(8);
    expect(await texts()).toBe(2);
  });

  test.each([
    ['does not compile', 'return ('],
    ['breaks', "return redis.call('NONSENSE')"],
    ['reaches for a hash that is a text', "redis.call('SET', KEYS[1], 'x') return redis.call('HGET', KEYS[1], 'y')"],
  ])('a script that %s is a bug of ours, not a store that is away', async (_, lua) => {
    const asked = answered('run a script', undefined, () => runScript(redis, script(lua), ['key'], []));
    await expect(asked).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('a Redis that is away', () => {
  const server = useOwnRedis();

  test('A command without a connection is store-unavailable, and its message names no option of the client', async () => {
    const redis = await connectRedis(options(server.url));
    await server.stop();
    await eventually(() => redis.status !== 'ready');
    await expect(answered('write', undefined, () => redis.set('key', 'value'))).rejects.toMatchObject({
      code: 'store-unavailable',
      message: 'The test store did not write: Redis is not connected',
    });
    await closeRedis(redis);
    await server.start();
  });
});
