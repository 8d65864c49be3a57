import {
  WIRE_PROTOCOL,
  endpointMetadataSchema,
  METADATA_KEY,
  srvInfoSchema,
  srvPingSchema,
  srvStatsSchema,
} from '@millrace/contracts';
import type { Msg } from 'nats';
import { useBus, useNats } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Bus } from './bus.ts';
import { advertise, gatherInfo, gatherPings, type MicroEndpoint } from './micro.ts';
import { request } from './request.ts';
import { serve } from './serve.ts';
import { isNoResponders } from './wire.ts';

const nats = useNats();
const asker = useBus(nats, 'asker');
const first = useBus(nats, 'clocks');
let second: Bus;

const tool = {
  name: 'clock',
  description: 'The time.',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.clocks.clock',
  idempotent: true,
  timeoutMs: 1_000,
};

beforeAll(async () => {
  second = await first.connect();
  for (const bus of [first.bus, second]) {
    const handle = async ({ fail }: { fail?: boolean | undefined }) => {
      if (fail) throw new Error('broken clock');
      return { time: 'noon' };
    };
    const serving = serve(bus, {
      subject: 'clock',
      queue: 'clock',
      request: z.object({ fail: z.boolean().optional() }),
      handle,
    });
    const endpoints = () => [
      {
        name: 'clock',
        queue: 'clock',
        serving,
        metadata: { kind: 'tool' as const, protocol: WIRE_PROTOCOL as typeof WIRE_PROTOCOL, tool },
      },
    ];
    advertise(bus, { name: 'clocks', version: '1.2.3', description: 'Returns the time.', endpoints });
    await bus.nc.flush();
  }
});

const askAll = async (subject: string) => {
  const answers: unknown[] = [];
  const inbox = asker.bus.inbox.open((message) => {
    if (!isNoResponders(message)) answers.push(message.json());
  });
  asker.bus.nc.publish(subject, undefined, { reply: inbox.subject });
  // Two round trips: the second flush of each server passes after its answer.
  for (const bus of [asker.bus, first.bus, second, first.bus, second, asker.bus]) await bus.nc.flush();
  inbox.release();
  return answers;
};

describe('the NATS services protocol (ADR-32)', () => {
  test.each([
    ['PING', srvPingSchema],
    ['INFO', srvInfoSchema],
    ['STATS', srvStatsSchema],
  ])('Every replica answers %s: for all, by service, by replica', async (verb, schema) => {
    for (const [subject, count] of [
      [`$SRV.${verb}`, 2],
      [`$SRV.${verb}.clocks`, 2],
      [`$SRV.${verb}.clocks.${second.id}`, 1],
      [`$SRV.${verb}.others`, 0],
    ] as const) {
      const answers = await askAll(subject);
      expect(answers.filter((answer) => schema.safeParse(answer).success)).toHaveLength(count);
    }
  });

  test('Identities are complete, and metadata is an object of strings', async () => {
    const [info] = z.array(z.looseObject({ id: z.string() })).parse(await askAll(`$SRV.INFO.clocks.${second.id}`));
    expect(info).toEqual({
      type: 'io.nats.micro.v1.info_response',
      name: 'clocks',
      id: second.id,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      description: 'Returns the time.',
      metadata: {},
      endpoints: [
        { name: 'clock', subject: 'clock', queue_group: 'clock', metadata: { [METADATA_KEY]: expect.any(String) } },
      ],
    });
  });

  test('The metadata of an endpoint describes it', async () => {
    const [info] = await gatherInfo(asker.bus, { service: 'clocks', gatherMs: 1_000, max: 1 });
    const metadata: unknown = JSON.parse(info?.endpoints[0]?.metadata?.[METADATA_KEY] ?? 'null');
    expect(endpointMetadataSchema.parse(metadata)).toEqual({ kind: 'tool', protocol: WIRE_PROTOCOL, tool });
  });

  test('Statistics count requests and errors', async () => {
    const reply = z.object({ time: z.string() });
    const ask = (payload: object) => request(asker.bus, { subject: 'clock', payload, reply, timeoutMs: 1_000 });
    for (const payload of [{}, {}, { fail: true }]) await ask(payload);
    const stats = z.array(srvStatsSchema).parse(await askAll('$SRV.STATS.clocks'));
    const endpoints = stats.flatMap((one) => one.endpoints);
    expect(endpoints.reduce((sum, one) => sum + one.num_requests, 0)).toBe(3);
    expect(endpoints.reduce((sum, one) => sum + one.num_errors, 0)).toBe(1);
    expect(endpoints.map((one) => one.last_error).join('')).toContain('broken clock');
    expect(endpoints.every((one) => Number.isInteger(one.processing_time))).toBe(true);
  });

  test('A reply outside of an inbox is not sent', async () => {
    const heard: string[] = [];
    const spy = asker.bus.nc.subscribe('mr.v1.runs.acme', {
      callback: (_error, message) => void heard.push(message.string()),
    });
    asker.bus.nc.publish('$SRV.PING', undefined, { reply: 'mr.v1.runs.acme' });
    expect(await askAll('$SRV.PING')).toHaveLength(2);
    await asker.bus.nc.flush();
    expect(heard).toEqual([]);
    spy.unsubscribe();
  });
});

describe('gathering replies of services', () => {
  test('Gathering ends at once when all requested replies have arrived', async () => {
    const pings = await gatherPings(asker.bus, 'clocks', { gatherMs: 60_000, max: 2 });
    expect(pings.map(({ id }) => id).toSorted()).toEqual([first.bus.id, second.id].toSorted());
  });

  test('Gathering ends at once without responders', async () => {
    expect(await gatherPings(asker.bus, 'nobody', { gatherMs: 60_000 })).toEqual([]);
  });

  test('Gathering ignores invalid replies of foreign services', async () => {
    const other = asker.bus.nc.subscribe('$SRV.INFO.odd', {
      callback: (_error, message) => void message.respond('{"type":"odd"}'),
    });
    expect(await gatherInfo(asker.bus, { service: 'odd', gatherMs: 50 })).toEqual([]);
    other.unsubscribe();
  });
});

test('A stopped service is not listed', async () => {
  const bus = await first.connect({ name: 'brief' });
  const stop = advertise(bus, { name: 'brief', version: '0.0.1', description: '', endpoints: () => [] });
  await bus.nc.flush();
  expect(await gatherPings(asker.bus, 'brief', { gatherMs: 1_000, max: 1 })).toHaveLength(1);
  stop();
  await bus.nc.flush();
  expect(await gatherPings(asker.bus, 'brief', { gatherMs: 1_000, max: 1 })).toEqual([]);
});

test('A service lists the endpoints of the moment: one that was added, and one that replaces another', async () => {
  const bus = await first.connect({ name: 'growing' });
  const serving = serve(bus, { subject: 'grow', queue: 'grow', request: z.object({}), handle: async () => ({}) });
  const build = (name: string): MicroEndpoint => ({
    name,
    queue: name,
    serving,
    metadata: { kind: 'tool', protocol: WIRE_PROTOCOL, tool: { ...tool, name } },
  });
  let endpoints = [build('one')];
  const stop = advertise(bus, { name: 'growing', version: '0.0.1', description: '', endpoints: () => endpoints });
  await bus.nc.flush();
  const listNames = async () => {
    const [info] = await gatherInfo(asker.bus, { service: 'growing', gatherMs: 1_000, max: 1 });
    return info?.endpoints.map(({ name }) => name);
  };
  expect(await listNames()).toEqual(['one']);
  expect(await listNames()).toEqual(['one']);
  endpoints.push(build('two'));
  expect(await listNames()).toEqual(['one', 'two']);
  endpoints = [build('three'), build('two')];
  expect(await listNames()).toEqual(['three', 'two']);
  stop();
});

test('Gathering ends with one line of log when the replies exceed the total size', async () => {
  const warnings: string[] = [];
  const quiet = () => undefined;
  const warn = (_fields: object, message: string) => void warnings.push(message);
  const bus = await asker.connect({ log: { debug: quiet, info: quiet, warn, error: quiet } });
  const mebibyte = new Uint8Array(1024 * 1024 - 512);
  const replyTooOften = async (message: Msg) => {
    for (let n = 0; n < 63; n += 1) {
      message.respond(mebibyte);
      // The flush bounds the data that the server buffers for the asker.
      await asker.bus.nc.flush();
    }
    // Each reply counts as 256 bytes at least, of 64 MiB.
    for (let n = 0; n < 10_000; n += 1) message.respond('');
  };
  const flood = asker.bus.nc.subscribe('$SRV.PING.flooded', {
    callback: (_error, message) => void replyTooOften(message),
  });
  await asker.bus.nc.flush();
  expect(await gatherPings(bus, 'flooded', { gatherMs: 20_000 })).toEqual([]);
  await bus.nc.flush();
  expect(warnings).toEqual(['oversized discovery reply ignored']);
  flood.unsubscribe();
});
