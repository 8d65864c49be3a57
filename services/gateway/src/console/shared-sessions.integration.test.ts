// Sessions in Redis: every gateway reads them, and the sessions of one key are bounded.
import { useRedis, useRedisRecord } from '@millrace/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSessionStore } from '../access/session-store.ts';
import { createSessions } from '../access/sessions.ts';

const identity = { tenant: 'default', scopes: ['read' as const] };
const limits = { perOwner: 2, inProcess: 1 };

describe('sessions in Redis', () => {
  const redis = useRedis();
  const readWritten = useRedisRecord(redis);
  const gateways: Redis[] = [];
  beforeAll(() => {
    for (let at = 0; at < 2; at += 1) gateways.push(new Redis(redis.urlAs('gateway')));
  });
  afterAll(() => Promise.all(gateways.map((gateway) => gateway.quit())));
  const create = (at: number) => createSessions(createSessionStore(gateways[at], limits));

  test('Another gateway reads a session, and its end holds for both', async () => {
    const { id } = await create(0).open('mk_shared', identity);
    expect(await create(1).read(id)).toBe('mk_shared');
    await create(1).close(id);
    expect(await create(0).read(id)).toBeUndefined();
  });

  test('The oldest session of a key with too many ends', async () => {
    const opened = [];
    for (let at = 0; at < 4; at += 1) opened.push(await create(at % 2).open('mk_many', identity));
    const read = await Promise.all(opened.map(({ id }) => create(0).read(id)));
    expect(read).toEqual([undefined, undefined, 'mk_many', 'mk_many']);
  });

  test('Redis holds neither a key nor an id', async () => {
    const { id } = await create(0).open('mk_written', identity);
    const written = await readWritten();
    expect(written).toContain(':gateway:sessions:');
    expect(written).not.toContain('mk_written');
    expect(written).not.toContain(id);
  });
});
