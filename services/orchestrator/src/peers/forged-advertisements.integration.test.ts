// A user with the key of a developer answers discovery in the name of a shipped service. The server refuses it the
// service's own subjects, so the orchestrator confirms each advertisement there.
import { METADATA_KEY, WIRE_PROTOCOL, createSubjects, type Stage } from '@millrace/contracts';
import { advertise, serve, type Bus, type MicroEndpoint } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { makeFound } from '../testing/known-processors.ts';
import { createDiscovery } from './discovery.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const STAGES: Stage[] = ['processInput', 'processOutputStream'];

function describeEndpoint(stage: Stage, stages: readonly Stage[]) {
  const { descriptor } = makeFound('pii', [...stages]);
  const metadata = { kind: 'processor' as const, protocol: WIRE_PROTOCOL as typeof WIRE_PROTOCOL, descriptor, stage };
  return { subject: createSubjects().stage(stage, { service: 'guardrails', processor: 'pii' }), metadata };
}

/** The real service, with its own key. */
async function serveGuardrails(): Promise<Bus> {
  const bus = await connection.connect({ name: 'guardrails', nkeySeed: nats.readSeed('guardrails') });
  const endpoints = STAGES.map((stage): MicroEndpoint => {
    const { subject, metadata } = describeEndpoint(stage, STAGES);
    const serving = serve(bus, { subject, queue: 'pii', request: z.unknown(), handle: async () => ({}) });
    return { name: `${stage}-pii`, queue: 'pii', serving, metadata };
  });
  onTestFinished(advertise(bus, { name: 'guardrails', version: '1.0.0', description: '', endpoints: () => endpoints }));
  await bus.nc.flush();
  return bus;
}

/** Answers as a replica of guardrails with this id that serves one stage of pii, and so judges no answer. */
async function forge(id: string): Promise<void> {
  const { nc } = await connection.connect({ name: 'mine', nkeySeed: nats.readSeed('developer') });
  const { subject, metadata } = describeEndpoint('processInput', ['processInput']);
  const endpoint = { name: 'pii', subject, queue_group: 'pii', metadata: { [METADATA_KEY]: JSON.stringify(metadata) } };
  const identity = { name: 'guardrails', id, version: '1.0.0', metadata: {}, description: '', endpoints: [endpoint] };
  const info = JSON.stringify({ type: 'io.nats.micro.v1.info_response', ...identity });
  for (const tail of ['', '.guardrails', `.guardrails.${id}`])
    nc.subscribe(`$SRV.INFO${tail}`, { callback: (error, message) => void (error ?? message.respond(info)) });
  await nc.flush();
}

async function discover() {
  const discovery = createDiscovery(connection.bus);
  onTestFinished(() => discovery.stop());
  await discovery.refresh();
  return discovery;
}

describe('an advertisement in the name of a shipped service', () => {
  test('with an id of its own describes no processor, and is refused with the reason', async () => {
    const { id } = await serveGuardrails();
    await forge('0000');
    const discovery = await discover();
    expect(discovery.getProcessors().get('pii')).toMatchObject({ replicas: [id], descriptor: { stages: STAGES } });
    expect(discovery.listRefused()).toMatchObject([
      { service: 'guardrails', problem: expect.stringContaining('$SRV.INFO.guardrails.0000') },
    ]);
  });

  test('with the id of a real replica does not replace its description', async () => {
    const { id } = await serveGuardrails();
    await forge(id);
    const discovery = await discover();
    for (let again = 0; again < 3; again += 1) {
      expect(discovery.getProcessors().get('pii')).toMatchObject({ replicas: [id], descriptor: { stages: STAGES } });
      await discovery.refresh();
    }
  });

  test('describes no processor if the service is not running', async () => {
    await forge('0000');
    expect((await discover()).getProcessors().has('pii')).toBe(false);
  });
});
