import { useRedis } from '@millrace/testkit';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import type { Access } from './access.ts';
import { createLimits } from './limits.ts';

const redis = useRedis();
const connections: Redis[] = [];
afterAll(() => connections.forEach((connection) => connection.disconnect()));

async function openLimits() {
  const connection = new Redis(redis.urlAs('gateway'), { enableOfflineQueue: false }).on('error', () => undefined);
  connections.push(connection);
  await expect.poll(() => connection.status).toBe('ready');
  const log = { warn: () => undefined };
  return createLimits({
    requestsPerMinute: 10,
    streamsPerAccount: 1,
    streams: 1,
    bodyBytes: 1_024,
    redis: connection,
    log,
  });
}

test('A gateway refuses a request above the limit if the others have admitted all requests of the minute', async () => {
  const [one, other] = [await openLimits(), await openLimits()];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that a count reads
  const access = { account: crypto.randomUUID(), identity: {} } as Access;
  expect(await one.countRequest(access)).toMatchObject({ 'x-ratelimit-remaining-requests': '9' });
  for (let at = 0; at < 9; at += 1) await other.countRequest(access);
  await expect(one.countRequest(access)).rejects.toMatchObject({ code: 'limit-exceeded' });
});
