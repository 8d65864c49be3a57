// The server allows a reply only on the connection that has received its request.
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { connectBus, type Bus } from './core/bus.ts';
import { serve } from './core/serve.ts';

const nats = useNats();
const asker = useBus(nats, 'asker');
let served: Bus | undefined;
afterAll(() => served?.close());

test('A reply to a request of the former connection leaves the replica healthy', async () => {
  const errors: string[] = [];
  const ignore = () => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: (_: object, text: string) => void errors.push(text) };
  const bus = await connectBus({ servers: nats.url, name: 'guardrails', nkeySeed: nats.readSeed('guardrails'), log });
  served = bus;
  const subject = bus.subjects.stage('processInput', { service: 'guardrails', processor: 'slow' });
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  serve(bus, {
    subject,
    request: z.object({}),
    async handle() {
      begun += 1;
      if (begun === 1) await gate.promise;
      return {};
    },
  });
  await bus.nc.flush();
  void asker.bus.nc.request(subject, '{}', { timeout: 500 }).catch(ignore);
  await eventually(() => begun === 1);
  await nats.kill();
  await nats.start();
  await eventually(() => bus.countConnections() === 2 && asker.bus.hasConnection());
  gate.resolve();
  // The answer to a later request shows that the server has read the earlier reply.
  await eventually(async () => asker.bus.nc.request(subject, '{}', { timeout: 2_000 }));
  await bus.nc.flush();
  expect(bus.findProblem()).toBeUndefined();
  expect(errors.filter((text) => text.includes('permission'))).toEqual([]);
});
