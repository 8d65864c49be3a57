import { WIRE_PROTOCOL, type EndpointMetadata, type ProcessorInfo } from '@millrace/contracts';
import { advertise, serve } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { makeFound } from '../testing/known-processors.ts';
import { createLoadReader } from './replica-loads.ts';

const nats = useNats();
const asker = useBus(nats, 'orchestrator');
const replica = useBus(nats, 'guards');
const { descriptor } = makeFound('pii', ['processInput', 'processOutputStep']);
let stop: () => void;

/** Serves the two stages of a processor as a replica that holds three calls. */
beforeAll(async () => {
  const { bus } = replica;
  const endpoints = descriptor.stages.map((stage) => ({
    name: `pii-${stage}`,
    queue: 'pii',
    data: () => ({ calls: 3, maxCalls: 8 }),
    serving: serve(bus, {
      subject: bus.subjects.stage(stage, { service: 'guards', processor: 'pii' }),
      queue: 'pii',
      request: z.object({ text: z.string() }),
      handle: async () => ({ ok: true }),
    }),
    metadata: { kind: 'processor' as const, protocol: WIRE_PROTOCOL, descriptor, stage } satisfies EndpointMetadata,
  }));
  stop = advertise(bus, { name: 'guards', version: '1.0.0', description: 'Guards.', endpoints: () => endpoints });
  await bus.nc.flush();
});
afterAll(() => stop());

const makeInfo = (replicas: string[]): ProcessorInfo => ({ ...descriptor, service: 'guards', replicas });

describe('the loads of replicas', () => {
  test('The reader adds up calls, requests and rejections of all stages of a processor', async () => {
    const { bus } = asker;
    const subject = bus.subjects.stage('processInput', { service: 'guards', processor: 'pii' });
    await bus.nc.request(subject, JSON.stringify({ text: 'one' }));
    await bus.nc.request(subject, JSON.stringify({ word: 'invalid' }));
    const [info] = await createLoadReader(bus)([makeInfo([replica.bus.id])]);
    expect(info?.loads).toEqual([
      {
        replica: replica.bus.id,
        calls: 6,
        maxCalls: 8,
        requests: 2,
        errors: 1,
        lastError: expect.stringContaining('message-invalid'),
        averageMs: expect.any(Number),
      },
    ]);
  });

  test('A replica that does not answer has no load', async () => {
    const [info] = await createLoadReader(asker.bus)([makeInfo(['gone', replica.bus.id])]);
    expect(info?.loads?.map((load) => load.replica)).toEqual([replica.bus.id]);
  });

  test('The answer of another service in the name of the processor does not count', async () => {
    const [info] = await createLoadReader(asker.bus)([{ ...makeInfo([replica.bus.id]), id: 'keyword' }]);
    expect(info?.loads).toEqual([{ replica: replica.bus.id, calls: 0, requests: 0, errors: 0 }]);
  });
});
