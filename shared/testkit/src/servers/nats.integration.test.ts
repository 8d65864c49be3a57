import { expect, test } from 'vitest';
import { useBus } from './bus.ts';
import { eventually } from '../run/eventually.ts';
import { useNats } from './nats.ts';

const nats = useNats();
const asker = useBus(nats, 'asker');

test('gives a server with JetStream, and a connection to it', async () => {
  expect(nats.url).toMatch(/^nats:\/\/127\.0\.0\.1:\d+$/);
  expect(asker.bus.nc.info?.jetstream).toBe(true);
});

test('A killed server restarts at the same address, and the connection is restored', async () => {
  const before = nats.url;
  await nats.kill();
  await nats.start();
  expect(nats.url).toBe(before);
  await eventually(() => asker.bus.nc.rtt().catch(() => false));
});
