import { isFinal, textMessage, type AppliedAgent, type RunRequest } from '@millrace/contracts';
import { consumeCommands, listen, type Delivery } from '@millrace/bus';
import { controlSchema } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { AgentStore } from '../agents/agent-store.ts';
import { askCancel, openRunStore } from '../state/run-store.ts';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { headOf } from '../testing/run-heads.ts';
import { agentOf } from '../testing/run-states.ts';
import { createRunsApi } from './runs-api.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const applied: AppliedAgent = {
  agent: agentOf(),
  plan: { entries: {}, order: {}, tools: [] },
  revision: 1,
  appliedAt: '',
};
const agents: AgentStore = {
  get: async (tenant, agent) => (tenant === 'acme' && agent === 'demo' ? applied : undefined),
  list: (tenant) => (tenant === 'acme' ? [applied] : []),
  put: async () => applied,
  delete: async () => undefined,
  stop: () => undefined,
};
let count = 0;
const newRun = () => ({ tenant: 'acme', run: `run-${count++}` });
type Address = ReturnType<typeof newRun>;
const messages = [textMessage('m1', 'user', 'hello')];
const requestOf = ({ tenant, run }: Address, more: Partial<RunRequest> = {}): RunRequest => ({
  runId: run,
  tenant,
  agent: 'demo',
  messages,
  requestContext: {},
  deadlineMs: 1_000,
  ...more,
});
const api = () => createRunsApi(stream.access, agents);

/** The commands that come out of the queue. */
async function queued(): Promise<Delivery[]> {
  const taken: Delivery[] = [];
  const stop = new AbortController();
  const take = async (delivery: Delivery) => {
    taken.push(delivery);
    await delivery.acknowledge();
  };
  const consuming = consumeCommands(stream.access, take, () => undefined, stop.signal);
  stops.push(async () => {
    stop.abort();
    await consuming;
  });
  return taken;
}

describe('submit', () => {
  test('puts the run into the queue, once for one id', async () => {
    const taken = await queued();
    const address = newRun();
    const answers = await Promise.all([1, 2, 3].map(() => api().submit(requestOf(address), address)));
    expect(answers).toEqual(answers.map(() => ({ runId: address.run, accepted: true })));
    await eventually(() => taken.length > 0);
    const other = newRun();
    await api().submit(requestOf(other), other);
    await eventually(() => taken.some(({ command }) => command.request.runId === other.run));
    expect(taken.map(({ command }) => command.request.runId)).toEqual([address.run, other.run]);
    expect(taken[0]?.command).toMatchObject({ command: 'start', request: requestOf(address) });
  });

  test('of a run that has begun is the same run, however long ago it was queued', async () => {
    const taken = await queued();
    const driver = createDriver(stream, { text: 'Hello.' });
    stops.push(driver.stop);
    const run = await driver.begin({ agent: await driver.apply() });
    await run.drive();
    const address = { tenant: 'acme', run: run.runId };
    expect(await api().submit(requestOf(address), address)).toEqual({ runId: run.runId, accepted: true });
    await connection.bus.nc.flush();
    expect(taken).toEqual([]);
  });

  test('refuses an unknown agent, with those that are there', async () => {
    const address = newRun();
    await expect(api().submit(requestOf(address, { agent: 'other' }), address)).rejects.toMatchObject({
      code: 'agent-unknown',
      remedy: expect.stringContaining('demo'),
    });
  });

  test.each([
    ['another run', { runId: 'other' }, 'runId'],
    ['another tenant', { tenant: 'other' }, 'tenant'],
  ])('refuses a request that names %s than its subject', async (_what, more, path) => {
    const address = newRun();
    await expect(api().submit(requestOf(address, more), address)).rejects.toMatchObject({ code: 'run-refused', path });
  });

  test('refuses what the queue cannot hold, before anything is stored', async () => {
    const taken = await queued();
    const address = newRun();
    const large = [textMessage('m1', 'user', 'x'.repeat(connection.bus.maxPayload()))];
    await expect(api().submit(requestOf(address, { messages: large }), address)).rejects.toMatchObject({
      code: 'message-too-large',
      path: 'messages',
    });
    await connection.bus.nc.flush();
    expect(taken).toEqual([]);
  });
});

describe('a run that nobody has begun', () => {
  test.each(['run', 'events'] as const)('is unknown to %s', async (verb) => {
    await expect(api()[verb]({}, newRun())).rejects.toMatchObject({ code: 'run-unknown' });
  });

  test('is unknown to replay', async () => {
    await expect(api().replay({ epoch: 1, index: 0 }, newRun())).rejects.toMatchObject({ code: 'run-unknown' });
  });

  test('can be cancelled: whoever begins it will see that', async () => {
    const address = newRun();
    expect(await api().cancel({}, address)).toEqual({ runId: address.run, status: 'queued' });
    const driver = createDriver(stream, { text: 'Hello.' });
    stops.push(driver.stop);
    const run = await driver.begin({ agent: await driver.apply() });
    await askCancel(stream.access, 'acme', run.runId);
    await run.drive();
    expect(await api().run({}, { tenant: 'acme', run: run.runId })).toMatchObject({ status: 'cancelled' });
  });
});

describe('a run that has ended', () => {
  test('has its result, its events and its chunks, for everybody who asks', async () => {
    const driver = createDriver(stream, { text: 'Hello.' });
    stops.push(driver.stop);
    const run = await driver.begin({ agent: await driver.apply() });
    await run.drive();
    const address = { tenant: 'acme', run: run.runId };
    const { status, result } = await api().run({}, address);
    expect(isFinal(status)).toBe(true);
    expect(result).toMatchObject({ text: 'Hello.', status: 'finished' });
    const { events } = await api().events({}, address);
    expect(events.map(({ event }) => event)).toEqual(['model', 'run']);
    const { batches, complete } = await api().replay({ epoch: 1, index: 0 }, address);
    expect(complete).toBe(true);
    expect(batches.flatMap(({ chunks }) => chunks)).toEqual(run.chunks());
    await expect(api().run({}, { ...address, tenant: 'other' })).rejects.toMatchObject({ code: 'run-unknown' });
  });
});

describe('cancel', () => {
  test('tells the owner, wherever it is, and answers with the status of that moment', async () => {
    const address = newRun();
    const told: unknown[] = [];
    const subject = connection.bus.subjects.control(address.tenant, address.run);
    const listening = listen(connection.bus, subject, controlSchema, (control) => told.push(control));
    stops.push(() => listening.stop());
    const store = await openRunStore(stream.access, headOf(address.run), 0);
    expect(await api().cancel({}, address)).toEqual({ runId: address.run, status: 'running' });
    await eventually(() => told.length === 1);
    expect(told).toEqual([{ control: 'cancel' }]);
    expect(await store?.cancelAsked()).toBe(true);
  });
});

test('a subject without a run is refused', async () => {
  await expect(api().run({}, { tenant: 'acme', run: undefined })).rejects.toMatchObject({ code: 'token-invalid' });
});
