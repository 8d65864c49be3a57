import { createModels } from '@millrace/models';
import { AGENT_LIMITS, buildAgentKey, type AppliedAgent } from '@millrace/contracts';
import { purgeEntries, readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createAgentsApi } from '../api/agents-api.ts';
import { createSchemaChecker } from '../peers/schema-checker.ts';
import type { Discovery } from '../peers/discovery.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { makeAgent } from '../testing/run-states.ts';
import { openAgentStore, type AgentStore } from './agent-store.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

async function open(access = stream.access): Promise<AgentStore> {
  const store = await openAgentStore(access);
  onTestFinished(() => store.stop());
  return store;
}
const makeApplied = (name: string): AppliedAgent => ({
  agent: makeAgent({ name }),
  plan: { entries: {}, order: {}, tools: [] },
  revision: 0,
  appliedAt: '',
});

function makeApi(store: AgentStore) {
  const found = { processors: new Map(), tools: new Map(), refused: [] };
  const discovery = {
    refresh: async () => undefined,
    refreshLonger: async () => undefined,
    getProcessors: () => found.processors,
    getTools: () => found.tools,
    listRefused: () => found.refused,
  };
  const models = createModels({ apiKey: 'none' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the api uses
  return createAgentsApi(store, discovery as unknown as Discovery, createSchemaChecker(), models);
}

test('revisions of an agent are counted from 1, whatever else is applied, and from 1 again after a delete', async () => {
  const store = await open();
  const put = async (tenant: string, name: string) => (await store.put(tenant, makeApplied(name))).revision;
  expect(await put('counted', 'a')).toBe(1);
  expect(await put('counted', 'b')).toBe(1);
  expect(await put('elsewhere', 'a')).toBe(1);
  expect(await put('counted', 'a')).toBe(2);
  expect((await store.get('counted', 'a'))?.revision).toBe(2);
  expect(await store.delete('counted', 'a')).toMatchObject({ revision: 2 });
  expect(await store.get('counted', 'a')).toBeUndefined();
  expect(await store.delete('counted', 'a')).toBeUndefined();
  expect(await put('counted', 'a')).toBe(1);
});

test('an orchestrator sees the agents that another one applies and deletes, in the order of names', async () => {
  const [one, other] = [await open(), await open()];
  await one.put('seen', makeApplied('b'));
  await one.put('seen', makeApplied('a'));
  await eventually(() => other.list('seen').length === 2);
  expect(other.list('seen').map(({ agent }) => agent.name)).toEqual(['a', 'b']);
  await one.delete('seen', 'a');
  await eventually(() => other.list('seen').length === 1);
  expect(await other.get('seen', 'a')).toBeUndefined();
  const late = await open();
  expect(late.list('seen').map(({ agent }) => agent.name)).toEqual(['b']);
});

test('a run gets an agent at least as new as the one that it was queued for, however late the watch is', async () => {
  const [one, other] = [await open(), await open()];
  await one.put('fresh', makeApplied('a'));
  await eventually(() => other.list('fresh').length === 1);
  await one.put('fresh', makeApplied('a'));
  const { revision = 0 } = (await one.find('fresh', 'a')) ?? {};
  expect(await other.getAtLeast('fresh', 'a', revision)).toMatchObject({ revision: 2 });
  expect(await other.getAtLeast('fresh', 'none', revision)).toBeUndefined();
});

test('a tenant has a maximum number of agents, which can still be applied and deleted', async () => {
  const store = await open();
  const names = Array.from({ length: AGENT_LIMITS.maxAgents }, (_, at) => `agent-${at}`);
  await Promise.all(names.map((name) => store.put('many', makeApplied(name))));
  await expect(store.put('many', makeApplied('one-more'))).rejects.toMatchObject({ code: 'agents-full' });
  expect((await store.put('many', makeApplied('agent-7'))).revision).toBe(2);
  expect((await store.put('few', makeApplied('one-more'))).revision).toBe(1);
  await store.delete('many', 'agent-7');
  expect((await store.put('many', makeApplied('one-more'))).revision).toBe(1);
});

test('of two writers that apply one agent at once, one gets a conflict', async () => {
  const [one, other] = [await open(), await open()];
  await one.put('race', makeApplied('a'));
  const outcomes = await Promise.allSettled([one.put('race', makeApplied('a')), other.put('race', makeApplied('a'))]);
  const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(lost.every((reason) => reason.code === 'state-conflict')).toBe(true);
  expect((await one.get('race', 'a'))?.revision).toBe(outcomes.length - lost.length + 1);
});

test('an agent is applied again after its bucket was wiped, by an orchestrator that knows the one of before too', async () => {
  const store = await open();
  const api = makeApi(store);
  const definition = { name: 'wiped', model: 'openai/gpt-5-mini' };
  const apply = () => api.apply({ definition, dryRun: false }, { tenant: 'wiped' });
  expect((await apply()).changed).toBe(true);
  expect((await apply()).changed).toBe(false);
  // Without a tombstone: no watcher is notified.
  await purgeEntries(stream.access, connection.bus.names.agents, 'wiped.*');
  expect(await store.get('wiped', 'wiped')).toBeDefined();
  expect((await apply()).changed).toBe(true);
  expect(await (await open()).get('wiped', 'wiped')).toMatchObject({ revision: 1 });
});

test('A stored agent with release: sentence releases by the step, and plan warns until it is applied again', async () => {
  const key = buildAgentKey('earlier', 'a');
  const applied = makeApplied('a');
  const stored = { ...applied, revision: 1, agent: { ...applied.agent, release: 'sentence' } };
  await writeEntry(stream.access, connection.bus.names.agents, key, stored, { expectedRevision: 0 });
  const store = await open();
  expect((await store.get('earlier', 'a'))?.agent.release).toBe('step');
  const api = makeApi(store);
  const tenant = { tenant: 'earlier' };
  const plan = () => api.plan({ agent: 'a' }, tenant);
  const warning = { code: 'default-changed', message: expect.stringContaining('release: sentence') };
  expect((await plan()).warnings).toContainEqual(expect.objectContaining(warning));
  const definition = { name: 'a', model: 'openai/gpt-5-mini', release: 'step' };
  expect((await api.apply({ definition, dryRun: false }, tenant)).changed).toBe(true);
  expect((await plan()).warnings).not.toContainEqual(expect.objectContaining(warning));
  const removed = api.apply({ definition: { ...definition, release: 'sentence' }, dryRun: false }, tenant);
  await expect(removed).rejects.toMatchObject({
    code: 'agent-invalid',
    issues: [{ path: 'release', message: expect.stringContaining('"sentence"') }],
  });
});

/** Access with a connection that holds the messages of subscriptions back, one by one. */
function holdDeliveries(): { access: JetStreamAccess; hold: () => void; deliver: () => boolean } {
  const { bus } = stream.access;
  const held: (() => void)[] = [];
  let isHolding = false;
  const subscribe: typeof bus.nc.subscribe = (subject, options = {}) => {
    const { callback } = options;
    if (!callback) return bus.nc.subscribe(subject, options);
    return bus.nc.subscribe(subject, {
      ...options,
      callback: (...message) => void (isHolding ? held.push(() => void callback(...message)) : callback(...message)),
    });
  };
  const nc = new Proxy(bus.nc, {
    get(target, name) {
      if (name === 'subscribe') return subscribe;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return {
    access: { ...stream.access, bus: { ...bus, nc } },
    hold: () => void (isHolding = true),
    deliver() {
      const next = held.shift();
      next?.();
      return next !== undefined;
    },
  };
}

test('A watch that is behind brings back no older revision, and no agent that was deleted', async () => {
  const late = holdDeliveries();
  const store = await open(late.access);
  const key = buildAgentKey('behind', 'a');
  late.hold();
  const written = [await store.put('behind', makeApplied('a')), await store.put('behind', makeApplied('a'))];
  expect(written.map(({ revision }) => revision)).toEqual([1, 2]);
  await eventually(() => late.deliver());
  await setImmediate();
  expect((await store.get('behind', 'a'))?.revision).toBe(2);
  await store.delete('behind', 'a');
  await eventually(() => late.deliver());
  await setImmediate();
  expect(store.list('behind')).toEqual([]);
  await eventually(() => late.deliver());
  expect(await readEntry(stream.access, connection.bus.names.agents, key, z.unknown())).toBeUndefined();
});
