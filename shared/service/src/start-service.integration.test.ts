import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startService, type ServiceContext, type ServiceDefinition } from './run-service.ts';

const nats = useNats();
const watcher = useBus(nats, 'watcher');
type Start = (context: ServiceContext<object>) => Promise<void>;
const define = (start: Start): ServiceDefinition<z.ZodType<object>> => ({
  name: 'sample',
  version: '0.0.1',
  config: z.object({}),
  start,
});
const env = (more: Record<string, string> = {}) => ({ NATS_URL: nats.url, LOG_LEVEL: 'silent', ...more });
const connections = async () => {
  const answer = await fetch(`${nats.monitorUrl}/connz`);
  const { connections: open } = z
    .object({ connections: z.array(z.object({ name: z.string().optional() })) })
    .parse(await answer.json());
  return open.filter(({ name }) => name === 'sample').length;
};

test('A service is up after NATS has registered its subscriptions', async () => {
  const many = 20_000;
  const service = await startService(
    define(async ({ bus }) => {
      for (const n of Array.from({ length: many }).keys())
        bus.nc.subscribe(`subscribed.${n}`, { callback: (_, message) => void message.respond() });
    }),
    env(),
  );
  await expect(watcher.bus.nc.request(`subscribed.${many - 1}`)).resolves.toBeDefined();
  await service.stop();
});

describe('health', () => {
  const health = async (port: number | undefined) => {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
    const { status, problem } = z
      .object({ status: z.string(), problem: z.string().optional() })
      .parse(await answer.json());
    return [answer.status, status, problem];
  };

  test('is 200 while it serves, 503 with the reason while NATS is away, and nothing else is served', async () => {
    const service = await startService(
      define(async () => undefined),
      env({ HEALTH_PORT: '0' }),
    );
    expect(await health(service.healthPort)).toEqual([200, 'ok', undefined]);
    expect((await fetch(`http://127.0.0.1:${service.healthPort}/`)).status).toBe(404);
    await nats.kill();
    await eventually(async () => (await health(service.healthPort))[0] === 503);
    expect(await health(service.healthPort)).toEqual([503, 'unavailable', 'no connection to NATS']);
    await nats.start();
    await eventually(async () => (await health(service.healthPort))[0] === 200);
    await service.stop();
    await expect(fetch(`http://127.0.0.1:${service.healthPort}/healthz`)).rejects.toThrow('fetch failed');
  });

  test('is 503 while it starts, and while it drains', async () => {
    const seen: unknown[] = [];
    const free = await startService(
      define(async () => undefined),
      env({ HEALTH_PORT: '0' }),
    );
    const port = free.healthPort ?? 0;
    await free.stop();
    const service = await startService(
      define(async ({ resources }) => {
        seen.push(await health(port));
        resources.add('slow', async () => void seen.push(await health(port)));
      }),
      env({ HEALTH_PORT: String(port) }),
    );
    await service.stop();
    expect(seen).toEqual([
      [503, 'unavailable', 'starting'],
      [503, 'unavailable', 'draining'],
    ]);
  });

  test('A HEALTH_HOST of another machine is config-invalid', async () => {
    const sample = define(async () => undefined);
    const foreign = startService(sample, env({ HEALTH_PORT: '0', HEALTH_HOST: '203.0.113.1' }));
    await expect(foreign).rejects.toMatchObject({ code: 'config-invalid', path: 'HEALTH_HOST' });
  });

  test('without a port there is no server', async () => {
    const service = await startService(
      define(async () => undefined),
      env(),
    );
    expect(service.healthPort).toBeUndefined();
    await service.stop();
  });
});

test.each(['', '1', '1.0', 'v1.0.0', '1.0.0 beta'])(
  'a service of version %j is refused: stock tools would not show it',
  async (version) => {
    const starting = startService({ ...define(async () => undefined), version }, env());
    await expect(starting).rejects.toMatchObject({ code: 'config-invalid', path: 'version' });
  },
);

describe('a start that fails', () => {
  test('A failed start releases all resources, the connection too, and throws the reason', async () => {
    const released: string[] = [];
    const failing = startService(
      define(async ({ resources }) => {
        resources.add('half', () => void released.push('half'));
        throw new Error('the store is not there');
      }),
      env({ HEALTH_PORT: '0' }),
    );
    await expect(failing).rejects.toThrow('the store is not there');
    expect(released).toEqual(['half']);
    await eventually(async () => (await connections()) === 0);
  });

  test('A start with an occupied port fails before it opens anything', async () => {
    const first = await startService(
      define(async () => undefined),
      env({ HEALTH_PORT: '0' }),
    );
    const second = startService(
      define(async () => undefined),
      env({ HEALTH_PORT: String(first.healthPort) }),
    );
    await expect(second).rejects.toMatchObject({ code: 'config-invalid', path: 'HEALTH_PORT' });
    await first.stop();
    await eventually(async () => (await connections()) === 0);
  });
});

test('draining fires before anything is released, and NATS is the last to go', async () => {
  const order: string[] = [];
  const service = await startService(
    define(async ({ draining, resources, bus }) => {
      draining.addEventListener('abort', () => order.push('draining'));
      resources.add('own', () => void order.push(`own, NATS ${bus.hasConnection() ? 'open' : 'closed'}`));
    }),
    env(),
  );
  await Promise.all([service.stop(), service.stop()]);
  expect(order).toEqual(['draining', 'own, NATS open']);
  expect(service.bus.nc.isClosed()).toBe(true);
});

test('a service waits for a NATS that is not there yet', async () => {
  await nats.kill();
  const starting = startService(
    define(async () => undefined),
    env(),
  );
  await nats.start();
  const service = await starting;
  expect(service.bus.hasConnection()).toBe(true);
  await eventually(() => watcher.bus.hasConnection());
  await service.stop();
});
