import type { Stage } from '@millrace/contracts';
import { advertise, serve, type Bus, type Endpoint } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createDiscovery, type Discovery } from './discovery.ts';
import { clock, found } from '../testing/known-processors.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

function endpoint(bus: Bus, id: string, stage: Stage): Endpoint {
  const serving = serve(bus, { subject: `made-up.${id}`, request: z.unknown(), handle: async () => ({}) });
  const { descriptor } = found(id, [stage]);
  return { name: id, queue: id, serving, metadata: { kind: 'processor', descriptor, stage } };
}
/** A replica of a service that serves these processors. */
async function replica(name: string, processors: string[], more: (bus: Bus) => Endpoint[] = () => []) {
  const bus = await connection.connect({ name });
  const endpoints = [...processors.map((id) => endpoint(bus, id, 'processInput')), ...more(bus)];
  const stop = advertise(bus, { name, version: '1.0.0', description: 'of a test', endpoints: () => endpoints });
  stops.push(stop);
  await bus.nc.flush();
  return { id: bus.id, stop };
}
async function discovered(): Promise<Discovery> {
  const discovery = createDiscovery(connection.bus);
  stops.push(() => discovery.stop());
  await discovery.refresh();
  return discovery;
}
const signal = new AbortController().signal;

describe('who is there', () => {
  test('is every processor, with its replicas, and every tool', async () => {
    const tool = (bus: Bus): Endpoint[] => [
      { ...endpoint(bus, 'x', 'processInput'), metadata: { kind: 'tool', tool: clock } },
    ];
    const first = await replica('guards', ['pii', 'keyword']);
    const second = await replica('guards', ['pii']);
    await replica('tools', [], tool);
    const discovery = await discovered();
    expect(discovery.processors().get('pii')).toMatchObject({ service: 'guards' });
    expect(discovery.processors().get('pii')?.replicas.toSorted()).toEqual([first.id, second.id].toSorted());
    expect(discovery.processors().get('keyword')?.replicas).toEqual([first.id]);
    expect(discovery.tools().get('clock')).toEqual(clock);
    expect(discovery.serviceOfTool('clock')).toBe('tools');
  });

  test('is nobody once it is gone', async () => {
    const { stop } = await replica('guards', ['pii']);
    const discovery = await discovered();
    stop();
    await connection.bus.nc.flush();
    await discovery.refresh();
    expect([...discovery.processors().keys()]).toEqual([]);
  });

  test('is not disturbed by services of others', async () => {
    const bus = await connection.connect({ name: 'stranger' });
    const subscription = bus.nc.subscribe('$SRV.INFO', {
      callback: (_error, message) => void message.respond('{"type":"io.nats.micro.v1.info_response","name":"x"}'),
    });
    await replica('guards', ['pii']);
    expect([...(await discovered()).processors().keys()]).toEqual(['pii']);
    subscription.unsubscribe();
  });
});

describe('neighbours', () => {
  test('are processors that one replica serves', async () => {
    await replica('guards', ['pii', 'keyword']);
    await replica('other', ['history']);
    const discovery = await discovered();
    expect(discovery.together('pii', 'keyword')).toBe(true);
    expect(discovery.together('pii', 'history')).toBe(false);
    expect(discovery.together('pii', 'nosuch')).toBe(false);
  });

  test('are not those that replicas of one service have shared out', async () => {
    await replica('guards', ['pii']);
    await replica('guards', ['keyword']);
    expect((await discovered()).together('pii', 'keyword')).toBe(false);
  });
});

describe('a replica that answers', () => {
  test('serves that processor, whoever else of the service is faster', async () => {
    await replica('guards', ['keyword']);
    await replica('guards', ['keyword']);
    const own = await replica('guards', ['pii']);
    const discovery = await discovered();
    for (let n = 0; n < 5; n++) expect(await discovery.replicaThatAnswers('pii', signal)).toBe(own.id);
  });

  test('is another one than the one that failed, where there is one', async () => {
    const first = await replica('guards', ['pii']);
    const second = await replica('guards', ['pii']);
    const discovery = await discovered();
    expect(await discovery.replicaThatAnswers('pii', signal, first.id)).toBe(second.id);
    expect(await discovery.replicaThatAnswers('pii', signal, second.id)).toBe(first.id);
    second.stop();
    await connection.bus.nc.flush();
    expect(await discovery.replicaThatAnswers('pii', signal, first.id)).toBe(first.id);
  });

  test('is none where nobody answers, or nobody is known, or nobody wants to know any more', async () => {
    const { stop } = await replica('guards', ['pii']);
    const discovery = await discovered();
    expect(await discovery.replicaThatAnswers('nosuch', signal)).toBeUndefined();
    expect(await discovery.replicaThatAnswers('pii', AbortSignal.abort())).toBeUndefined();
    stop();
    await connection.bus.nc.flush();
    expect(await discovery.replicaThatAnswers('pii', signal)).toBeUndefined();
  });
});
