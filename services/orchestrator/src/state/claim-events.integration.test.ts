// A service with the key of a developer advertises pii, which guardrails serves: the claim is stored as an event.
import { WIRE_PROTOCOL } from '@millrace/contracts';
import { advertise, serve, type MicroEndpoint } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createProcessorsVerb } from '../api/processors-api.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { makeFound } from '../testing/known-processors.ts';
import { createClaimLog, listClaims } from './claim-events.ts';
import { createDiscovery } from '../peers/discovery.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

/** Serves pii as a replica of a service. Returns the function that makes it leave. */
async function servePii(name: string, role: string): Promise<() => void> {
  const bus = await connection.connect({ name, nkeySeed: nats.readSeed(role) });
  const subject = bus.subjects.stage('processInput', { service: name, processor: 'pii' });
  const serving = serve(bus, { subject, queue: 'pii', request: z.unknown(), handle: async () => ({}) });
  const { descriptor } = makeFound('pii', ['processInput']);
  const metadata = { kind: 'processor', protocol: WIRE_PROTOCOL, descriptor, stage: 'processInput' } as const;
  const endpoints: MicroEndpoint[] = [{ name: 'pii', queue: 'pii', serving, metadata }];
  const stop = advertise(bus, { name, version: '1.0.0', description: '', endpoints: () => endpoints });
  onTestFinished(stop);
  await bus.nc.flush();
  return stop;
}

/** An orchestrator's discovery with its log of claims. */
function discover() {
  const discovery = createDiscovery(connection.bus, createClaimLog(stream.access));
  onTestFinished(() => discovery.stop());
  return discovery;
}

test('A second service that advertises a served name is a stored event, once for all orchestrators and looks', async () => {
  await servePii('guardrails', 'guardrails');
  const leave = await servePii('my-guards', 'developer');
  const discoveries = [discover(), discover()];
  for (let look = 0; look < 3; look += 1) await Promise.all(discoveries.map((one) => one.refresh()));
  const claims = await eventually(async () => {
    const found = await listClaims(stream.access);
    return found.length > 0 && found;
  });
  expect(claims).toEqual([
    {
      event: 'claim',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      name: 'pii',
      service: 'my-guards',
      owner: 'guardrails',
    },
  ]);

  leave();
  await connection.bus.nc.flush();
  const [discovery = discover()] = discoveries;
  const list = createProcessorsVerb({
    discovery,
    maxBytes: 1_000_000,
    readClaims: () => listClaims(stream.access),
    readLoads: async (processors) => [...processors],
  });
  // The service has left, so discovery alone has lost the claim.
  expect(await list({ limit: 10, loads: false })).toMatchObject({ refused: [], claims });
});

test('A service that claims thousands of names has 100 stored events at most', async () => {
  const before = (await listClaims(stream.access)).length;
  const report = createClaimLog(stream.access);
  const claims = Array.from({ length: 2_000 }, (_, at) => ({
    service: 'flood',
    name: `name-${at}`,
    problem: 'it is served',
    owner: 'guardrails',
  }));
  report(claims);
  const { state } = await eventually(async () => {
    const info = await stream.access.jsm.streams.info(connection.bus.names.events);
    return info.state.messages >= before + 100 && info;
  });
  report(claims);
  expect(state.messages).toBe(before + 100);
  expect(await listClaims(stream.access)).toHaveLength(100);
});

test('A claim that was not stored is stored at a later look', async () => {
  const { access } = stream;
  let fails = 1;
  // The stream is away for one publication.
  const js = new Proxy(access.js, {
    get: (target, name) =>
      name === 'publish' && fails-- > 0
        ? () => Promise.reject(new Error('no leader'))
        : Reflect.get(target, name).bind(target),
  });
  const report = createClaimLog({ ...access, js });
  const claim = { service: 'late', name: 'pii', problem: 'it is served', owner: 'guardrails' };
  report([claim]);
  await connection.bus.nc.flush();
  expect((await listClaims(access)).some(({ service }) => service === 'late')).toBe(false);
  report([claim]);
  await eventually(async () => (await listClaims(access)).some(({ service }) => service === 'late'));
});
