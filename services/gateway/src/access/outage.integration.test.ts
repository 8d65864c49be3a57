// The gateway while NATS is away: its health, and the requests of callers.
import { createServer } from 'node:net';
import { serve } from '@millrace/bus';
import { verifyRequestSchema } from '@millrace/contracts';
import { startService, type RunningService } from '@millrace/service';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { gatewayService } from '../service.ts';

const nats = useNats();
const auth = useBus(nats, 'auth', { role: 'auth' });
let gateway: RunningService;
let url: string;
beforeAll(async () => {
  serve(auth.bus, {
    subject: auth.bus.subjects.verify,
    request: verifyRequestSchema,
    handle: async () => ({ ok: { tenant: 'default', subject: 'ada', scopes: ['run'], keyId: 'abcdefgh' } }),
  });
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  gateway = await startService(gatewayService, {
    NATS_URL: nats.url,
    NATS_NKEY: nats.readSeed('gateway'),
    LOG_LEVEL: 'silent',
    HEALTH_PORT: '0',
    GATEWAY_PORT: String(port),
  });
});
afterAll(() => gateway?.stop());

const healthSchema = z.object({ status: z.string(), problem: z.string().optional() });
const readHealth = async (address: string) => {
  const response = await fetch(`${address}/healthz`);
  const { status, problem } = healthSchema.parse(await response.json());
  return [response.status, status, problem];
};
const request = () => fetch(`${url}/v1/runs`, { headers: { authorization: 'Bearer mk_abcdefgh_secret' } });
const UNAVAILABLE = [503, 'unavailable', 'no connection to NATS'];

test('Without NATS the health is 503 on both ports, and a request is 503 without a subject until NATS is back', async () => {
  expect(await readHealth(url)).toEqual([200, 'ok', undefined]);
  expect((await request()).status).toBe(403);
  await nats.kill();
  await eventually(async () => (await readHealth(url))[0] === 503);
  expect(await readHealth(url)).toEqual(UNAVAILABLE);
  expect(await readHealth(`http://127.0.0.1:${gateway.healthPort}`)).toEqual(UNAVAILABLE);
  const startedAt = performance.now();
  const refused = await request();
  const waitedMs = performance.now() - startedAt;
  expect(waitedMs).toBeGreaterThan(1_500);
  expect(waitedMs).toBeLessThan(4_500);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  const body = await refused.text();
  expect(JSON.parse(body)).toMatchObject({ code: 'bus-unreachable', detail: 'The gateway has no connection to NATS.' });
  expect(body).not.toContain('mr.v1');
  await nats.start();
  await eventually(async () => (await readHealth(url))[0] === 200);
  await eventually(async () => (await request()).status === 403);
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
