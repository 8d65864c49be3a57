// The users of Redis that `millrace keys` describes: each reaches the keys of its service, and nothing more.
import { eventually, useOwnRedis } from '@millrace/testkit';
import type { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { closeRedis, connectRedis } from './redis-connection.ts';

const server = useOwnRedis();
const log = { info: () => undefined, warn: () => undefined };
async function connectAs(user: string): Promise<Redis> {
  const redis = await connectRedis({ url: server.urlAs(user), service: user, store: 'test store', log });
  onTestFinished(() => closeRedis(redis));
  return redis;
}

/** Keys as the stores spell them. */
const KEYS: Record<string, string[]> = {
  guardrails: ['acme:cost:{resource:ada}:day:2026-11-23', 'acme:response-cache:{tenant}:0a1b'],
  'message-history': ['acme:history:{t1}:bodies', 'acme:history:threads:7', 'acme:history:threads-of:ada'],
  'working-memory': ['acme:working-memory:{ada}:resource', 'acme:working-memory:{ada}:resource:run:r1'],
};
const users = Object.keys(KEYS);

describe.each(users)('the user %s', (user) => {
  const own = KEYS[user] ?? [];
  const foreign = users.flatMap((other) => (other === user ? [] : (KEYS[other] ?? [])));

  test('reads and writes the keys of its service', async () => {
    const redis = await connectAs(user);
    for (const key of own) {
      await redis.set(key, 'value');
      expect(await redis.eval("return redis.call('GET', KEYS[1])", 1, key)).toBe('value');
      expect(await redis.del(key)).toBe(1);
    }
  });

  test('is refused every key of another service, directly and in a script', async () => {
    const redis = await connectAs(user);
    const get = "return redis.call('GET', ARGV[1])";
    for (const key of foreign.concat('other', 'acme:backup')) {
      await expect(redis.get(key)).rejects.toThrow('NOPERM');
      await expect(redis.set(key, 'x')).rejects.toThrow('NOPERM');
      await expect(redis.del(key)).rejects.toThrow('NOPERM');
      await expect(redis.hgetall(key)).rejects.toThrow('NOPERM');
      await expect(redis.eval(get, 0, key)).rejects.toThrow(/NOPERM|can't access|permission/i);
    }
  });

  test('lists no keys, hears no channel and changes nothing of the server', async () => {
    const redis = await connectAs(user);
    const commands = [
      ['keys', '*'],
      ['scan', '0'],
      ['randomkey'],
      ['dbsize'],
      ['flushall'],
      ['flushdb'],
      ['monitor'],
      ['config', 'get', '*'],
      ['config', 'set', 'dir', '/'],
      ['acl', 'list'],
      ['acl', 'setuser', 'x', 'on'],
      ['client', 'list'],
      ['subscribe', 'x'],
      ['publish', 'x', 'y'],
      ['script', 'flush'],
      ['function', 'list'],
      ['replicaof', 'no', 'one'],
      ['dump', own[0] ?? ''],
      ['save'],
      ['shutdown'],
      ['swapdb', '0', '1'],
    ];
    const accepted: string[] = [];
    for (const [name = '', ...args] of commands) {
      const said = await redis.call(name, ...args).catch((error: Error) => error.message);
      if (!String(said).includes('NOPERM')) accepted.push(`${name}: ${String(said)}`);
    }
    expect(accepted).toEqual([]);
  });
});

describe('a server with the users of production', () => {
  const production = useOwnRedis({ usersOnly: true });
  const connect = async (url: string) => {
    const redis = await connectRedis({ url, service: 'test', store: 'test store', log, waitMs: 5_000 });
    onTestFinished(() => closeRedis(redis));
    return redis;
  };
  const key = 'acme:history:{t1}:thread';

  test.each(['stop', 'kill'] as const)('keeps the effects of scripts over a restart: %s', async (how) => {
    const redis = await connect(production.urlAs('message-history'));
    await redis.eval("redis.call('HSET', KEYS[1], 'a', '1') redis.call('HSET', KEYS[1], 'b', '2')", 1, key);
    // The append-only file is synced every second.
    await eventually(async () => (await redis.info('persistence')).includes('aof_pending_bio_fsync:0'));
    if (how === 'stop') await production.stop();
    else await production.kill();
    await production.start();
    const again = await connect(production.urlAs('message-history'));
    expect(await again.hgetall(key)).toEqual({ a: '1', b: '2' });
    await again.del(key);
  });

  test('refuses a connection without credentials', async () => {
    await expect(connect(production.url)).rejects.toMatchObject({ code: 'credentials-refused' });
  });
});
