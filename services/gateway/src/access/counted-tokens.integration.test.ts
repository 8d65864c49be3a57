import { useRedis } from '@millrace/testkit';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { createTokenMemory } from './counted-tokens.ts';

const redis = useRedis();
const connections: Redis[] = [];
afterAll(() => connections.forEach((connection) => connection.disconnect()));
const connect = () => {
  const connection = new Redis(redis.urlAs('gateway'), { enableOfflineQueue: false }).on('error', () => undefined);
  connections.push(connection);
  return connection;
};
const run = { tenant: 'acme', runId: 'run-1', submittedAt: '2026-01-01T00:00:00.000Z' };

describe('the counted tokens of a run', () => {
  test('Two gateways count a run that is continued at the other one once, with the user of their Redis', async () => {
    const [first, second] = [connect(), connect()];
    await Promise.all([first, second].map((one) => expect.poll(() => one.status).toBe('ready')));
    const [one, other] = [createTokenMemory(first), createTokenMemory(second)];
    expect(await one(run, 600)).toBe(600);
    expect(await other(run, 1_200)).toBe(600);
    expect(await one(run, 1_200)).toBe(0);
    // The report of the first part arrives last.
    expect(await other(run, 600)).toBe(0);
    expect(await one({ ...run, tenant: 'other' }, 50)).toBe(50);
    expect(await one({ ...run, submittedAt: '2026-01-02T00:00:00.000Z' }, 50)).toBe(50);
  });

  test('A gateway without Redis, or during an outage of Redis, counts a run once', async () => {
    const lost = connect();
    lost.disconnect();
    for (const take of [createTokenMemory(undefined), createTokenMemory(lost)]) {
      expect(await take(run, 600)).toBe(600);
      expect(await take(run, 1_000)).toBe(400);
      expect(await take(run, 1_000)).toBe(0);
    }
  });
});
