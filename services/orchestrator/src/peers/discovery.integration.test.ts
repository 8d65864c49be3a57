import { WIRE_PROTOCOL, type Stage } from '@millrace/contracts';
import { advertise, gatherInfo, serve, type Bus, type MicroEndpoint } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createDiscovery, type Discovery } from './discovery.ts';
import { clock, makeFound } from '../testing/known-processors.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

const inGuards = (processor: string) => ({ service: 'guards', processor });

function endpoint(bus: Bus, id: string, stage: Stage): MicroEndpoint {
  const subject = bus.subjects.stage(stage, { service: bus.name, processor: id });
  const serving = serve(bus, { subject, queue: id, request: z.unknown(), handle: async () => ({}) });
  const { descriptor } = makeFound(id, [stage]);
  return { name: id, queue: id, serving, metadata: { kind: 'processor', protocol: WIRE_PROTOCOL, descriptor, stage } };
}
/** A replica of a service that serves these processors. */
async function replica(name: string, processors: string[], more: (bus: Bus) => MicroEndpoint[] = () => []) {
  const bus = await connection.connect({ name });
  const endpoints = [...processors.map((id) => endpoint(bus, id, 'processInput')), ...more(bus)];
  const stop = advertise(bus, { name, version: '1.0.0', description: 'of a test', endpoints: () => endpoints });
  onTestFinished(stop);
  await bus.nc.flush();
  return { id: bus.id, stop };
}
/** A replica of `guards` with `pii` that answers late. */
async function startLateReplica(delayMs: number) {
  const { stop } = await replica('guards', ['pii']);
  const [info] = await gatherInfo(connection.bus, { gatherMs: 5_000, max: 1, service: 'guards' });
  stop();
  const late = await connection.connect({ name: 'guards' });
  for (const tail of ['', `.guards.${info?.id}`]) {
    const subscription = late.nc.subscribe(`$SRV.INFO${tail}`, {
      callback: (_error, message) => void setTimeout(() => message.respond(JSON.stringify(info)), delayMs),
    });
    onTestFinished(() => subscription.unsubscribe());
  }
  await late.nc.flush();
}
async function discover(): Promise<Discovery> {
  const discovery = createDiscovery(connection.bus);
  onTestFinished(() => discovery.stop());
  await discovery.refresh();
  return discovery;
}
const signal = new AbortController().signal;

describe('discovery', () => {
  test('lists every processor, with its replicas, and every tool', async () => {
    const tool = (bus: Bus): MicroEndpoint[] => {
      const subject = bus.subjects.tool(bus.name, 'clock');
      const serving = serve(bus, { subject, request: z.unknown(), handle: async () => ({}) });
      return [{ name: 'tool-clock', queue: 'clock', serving, metadata: { kind: 'tool', protocol: 2, tool: clock } }];
    };
    const first = await replica('guards', ['pii', 'keyword']);
    const second = await replica('guards', ['pii']);
    await replica('tools', [], tool);
    const discovery = await discover();
    expect(discovery.getProcessors().get('pii')).toMatchObject({ service: 'guards' });
    expect(discovery.getProcessors().get('pii')?.replicas.toSorted()).toEqual([first.id, second.id].toSorted());
    expect(discovery.getProcessors().get('keyword')?.replicas).toEqual([first.id]);
    expect(discovery.getTools().get('clock')).toEqual({ tool: clock, service: 'tools' });
    expect(discovery.findServiceOfTool('clock')).toBe('tools');
  });

  test('lists no service that has left', async () => {
    const { stop } = await replica('guards', ['pii']);
    const discovery = await discover();
    stop();
    await connection.bus.nc.flush();
    await discovery.refresh();
    expect([...discovery.getProcessors().keys()]).toEqual([]);
  });

  test('finds a slow service if it waits longer', async () => {
    await startLateReplica(600);
    const discovery = await discover();
    expect(discovery.getProcessors().has('pii')).toBe(false);
    await discovery.refreshLonger();
    expect(discovery.getProcessors().has('pii')).toBe(true);
  });

  test('ignores services of others', async () => {
    const bus = await connection.connect({ name: 'stranger' });
    const subscription = bus.nc.subscribe('$SRV.INFO', {
      callback: (_error, message) => void message.respond('{"type":"io.nats.micro.v1.info_response","name":"x"}'),
    });
    await replica('guards', ['pii']);
    expect([...(await discover()).getProcessors().keys()]).toEqual(['pii']);
    subscription.unsubscribe();
  });

  test('finds a service although another user of the bus answers thousands of times', async () => {
    const flooder = await connection.connect();
    const flood = flooder.nc.subscribe('$SRV.INFO', {
      callback: (_error, message) => {
        for (let n = 0; n < 6_000; n += 1) message.respond('');
      },
    });
    await flooder.nc.flush();
    await startLateReplica(100);
    const discovery = await discover();
    // On a busy machine the flood takes longer than the time of a short look.
    await discovery.refreshLonger();
    expect([...discovery.getProcessors().keys()]).toEqual(['pii']);
    flood.unsubscribe();
  });
});

describe('a refresh of discovery', () => {
  test('repeats a question in progress, so that a service that started in between is found', async () => {
    const discovery = await discover();
    const underWay = discovery.refresh();
    // A service that starts now does not receive the question in progress.
    await connection.bus.nc.flush();
    await replica('guards', ['pii']);
    const [asked] = [discovery.refresh()];
    await underWay;
    expect([...discovery.getProcessors().keys()]).toEqual([]);
    await asked;
    expect([...discovery.getProcessors().keys()]).toEqual(['pii']);
  });

  test('with many callers asks the services once more', async () => {
    const discovery = await discover();
    let questions = 0;
    const counting = connection.bus.nc.subscribe('$SRV.INFO', { callback: () => void (questions += 1) });
    await Promise.all(Array.from({ length: 20 }, () => discovery.refresh()));
    await connection.bus.nc.flush();
    counting.unsubscribe();
    expect(questions).toBeLessThanOrEqual(3);
  });
});

describe('an advertised service that is refused', () => {
  test('is logged once, with its name and the reason, and is reported to callers', async () => {
    const lines: object[] = [];
    const warn = (fields: object, message: string) => void lines.push({ ...fields, message });
    const quiet = () => undefined;
    const bus = await connection.connect({ log: { debug: quiet, info: quiet, warn, error: quiet } });
    await replica('guards', [], (own) => {
      const one = endpoint(own, 'pii', 'processInput');
      if (one.metadata.kind !== 'processor') throw new Error('it is one');
      const descriptor = { ...one.metadata.descriptor, id: 'my.pii' };
      return [{ ...one, metadata: { ...one.metadata, descriptor } }];
    });
    const discovery = createDiscovery(bus);
    onTestFinished(() => discovery.stop());
    await discovery.refresh();
    await discovery.refresh();
    const problem = expect.stringContaining('descriptor.id');
    expect(discovery.listRefused()).toEqual([{ service: 'guards', name: 'my.pii', problem }]);
    expect(lines).toEqual([{ service: 'guards', name: 'my.pii', problem, message: 'advertised but refused' }]);
  });

  test('is unrelated to services under another prefix on the same server', async () => {
    const other = await connection.connect({ name: 'guards', prefix: 'elsewhere' });
    const endpoints = [endpoint(other, 'pii', 'processInput')];
    onTestFinished(advertise(other, { name: 'guards', version: '1.0.0', description: '', endpoints: () => endpoints }));
    await other.nc.flush();
    const discovery = await discover();
    expect([...discovery.getProcessors().keys()]).toEqual([]);
    expect(discovery.listRefused()).toEqual([]);
  });
});

describe('processors that discovery joins into one call', () => {
  test('are those that one replica serves', async () => {
    await replica('guards', ['pii', 'keyword']);
    await replica('other', ['history']);
    const discovery = await discover();
    expect(discovery.isServedTogether(inGuards('pii'), inGuards('keyword'))).toBe(true);
    expect(discovery.isServedTogether(inGuards('pii'), inGuards('history'))).toBe(false);
    expect(discovery.isServedTogether(inGuards('pii'), inGuards('nosuch'))).toBe(false);
  });

  test('are not those that different replicas of one service serve', async () => {
    await replica('guards', ['pii']);
    await replica('guards', ['keyword']);
    expect((await discover()).isServedTogether(inGuards('pii'), inGuards('keyword'))).toBe(false);
  });
});

describe('a replica that answers a ping', () => {
  test('serves that processor, whichever replica of the service is faster', async () => {
    await replica('guards', ['keyword']);
    await replica('guards', ['keyword']);
    const own = await replica('guards', ['pii']);
    const discovery = await discover();
    for (let n = 0; n < 5; n++) expect(await discovery.findAnsweringReplica(inGuards('pii'), signal)).toBe(own.id);
  });

  test('differs from the one that failed, if there is another', async () => {
    const first = await replica('guards', ['pii']);
    const second = await replica('guards', ['pii']);
    const discovery = await discover();
    expect(await discovery.findAnsweringReplica(inGuards('pii'), signal, first.id)).toBe(second.id);
    expect(await discovery.findAnsweringReplica(inGuards('pii'), signal, second.id)).toBe(first.id);
    second.stop();
    await connection.bus.nc.flush();
    expect(await discovery.findAnsweringReplica(inGuards('pii'), signal, first.id)).toBe(first.id);
  });

  test('is none if no replica answers, none is known, or the signal has fired', async () => {
    const { stop } = await replica('guards', ['pii']);
    const discovery = await discover();
    expect(await discovery.findAnsweringReplica(inGuards('nosuch'), signal)).toBeUndefined();
    expect(await discovery.findAnsweringReplica(inGuards('pii'), AbortSignal.abort())).toBeUndefined();
    stop();
    await connection.bus.nc.flush();
    expect(await discovery.findAnsweringReplica(inGuards('pii'), signal)).toBeUndefined();
  });
});

describe('replicas that have left', () => {
  test('are reported by the server at once: all of them, some, or this one', async () => {
    const first = await replica('guards', ['pii']);
    const second = await replica('guards', ['pii']);
    const discovery = await discover();
    expect(await discovery.findMissingReplicas(inGuards('pii'))).toBe('none');
    first.stop();
    await eventually(async () => (await discovery.findMissingReplicas(inGuards('pii'))) === 'some');
    expect(await discovery.findMissingReplicas(inGuards('pii'), first.id)).toBe('all');
    expect(await discovery.findMissingReplicas(inGuards('pii'), second.id)).toBe('none');
    second.stop();
    await eventually(async () => (await discovery.findMissingReplicas(inGuards('pii'))) === 'all');
    expect(await discovery.findMissingReplicas(inGuards('never-seen'))).toBe('none');
  });
});

test('a replica that runs but does not answer is silent if another one answers, and is avoided for a while', async () => {
  const [stopped, well] = [await replica('guards', ['pii']), await replica('guards', ['pii'])];
  const discovery = await discover();
  expect(await discovery.hasSilent(inGuards('pii'))).toBe(false);
  expect(discovery.preferReplica(inGuards('pii'))).toBeUndefined();
  stopped.stop();
  const deaf = connection.bus.nc.subscribe(`$SRV.PING.guards.${stopped.id}`, { callback: () => undefined });
  await connection.bus.nc.flush();
  expect(await discovery.hasSilent(inGuards('pii'))).toBe(true);
  expect(await discovery.hasSilent(inGuards('pii'), well.id)).toBe(false);
  expect(await discovery.hasSilent(inGuards('pii'), stopped.id)).toBe(true);
  expect(discovery.preferReplica(inGuards('pii'))).toBe(well.id);
  well.stop();
  await eventually(async () => !(await discovery.hasSilent(inGuards('pii'))));
  deaf.unsubscribe();
});
