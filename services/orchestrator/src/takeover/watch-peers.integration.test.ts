// Orchestrators watch each other over a real server. A killed process is a connection that is closed: the server drops its subscriptions.
import { setTimeout as delay } from 'node:timers/promises';
import { stateKeys } from '@millrace/contracts';
import {
  answerPeers,
  connectBus,
  consumeCommands,
  openJetStream,
  type Bus,
  type Delivery,
  type JetStreamAccess,
} from '@millrace/bus';
import { createCollectedLog, eventually, useBus, useNats } from '@millrace/testkit';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createQueuedHead } from '../head/run-head.ts';
import { submitRun } from '../api/submit-run.ts';
import { openRunStore, type RunStore } from '../state/run-store.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { newRun, makeRequest } from '../testing/runs-api.ts';
import { findHeldRuns } from './held-runs.ts';
import { watchPeers } from './watch-peers.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

const SOON = { timeoutMs: 10_000 };
/** Longer than the tests, so that each redelivery is a requeue. */
const ACK_WAIT_NS = 600 * 1_000_000_000;
beforeAll(async () => {
  const { jsm, bus } = stream.access;
  for await (const { name } of jsm.consumers.list(bus.names.runs)) {
    await jsm.consumers.update(bus.names.runs, name, { ack_wait: ACK_WAIT_NS });
  }
});
beforeEach(async () => {
  await stream.access.jsm.streams.purge(connection.bus.names.runs);
});

type Peer = {
  bus: Bus;
  access: JetStreamAccess;
  taken: Delivery[];
  stores: RunStore[];
  kill(): Promise<void>;
  freeze(): void;
};

type PeerOptions = { id?: string; log?: Bus['log']; pulls?: boolean; answers?: boolean };
/** An orchestrator that begins the run of each command, and drives it no further. */
async function startPeer({ pulls = true, answers = true, ...options }: PeerOptions = {}): Promise<Peer> {
  const bus = await connectBus({ servers: nats.url, name: 'orchestrator', ...options });
  const access = await openJetStream(bus);
  const [taken, stores]: [Delivery[], RunStore[]] = [[], []];
  const draining = new AbortController();
  const take = async (delivery: Delivery) => {
    taken.push(delivery);
    if (delivery.command.command !== 'start') return;
    const head = createQueuedHead(delivery.command, bus.id);
    const { headRevision = 0 } = delivery.command;
    const store = await openRunStore(access, { ...head, status: 'running', command: delivery.sequence }, headRevision);
    if (store) stores.push(store);
  };
  const consuming = pulls ? consumeCommands(access, { take, refuse: () => undefined }, draining.signal) : undefined;
  const presence = answers ? answerPeers(bus) : undefined;
  const watching = watchPeers(access);
  const stop = async () => {
    draining.abort();
    presence?.stop();
    await watching.stop();
    await consuming;
    await bus.close();
  };
  onTestFinished(stop);
  // As SIGSTOP does: the connection still subscribes, and nothing is answered.
  const freeze = () => {
    bus.nc.subscribe(bus.subjects.peer(bus.id), { callback: () => undefined });
    presence?.stop();
  };
  return { bus, access, taken, stores, freeze, kill: () => bus.nc.close() };
}

async function submit(count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, newRun);
  for (const address of addresses) await submitRun(stream.access, makeRequest(address, { deadlineMs: 60_000 }), 1);
  return addresses.map(({ run }) => run);
}

const listRuns = ({ taken }: Peer) => taken.map(({ command }) => command.request.runId);
const claims = async () => {
  const subjects = `$KV.${connection.bus.names.state}.${stateKeys.claim('any').replace('any', '*')}`;
  const { state } = await stream.access.jsm.streams.info(`KV_${connection.bus.names.state}`, {
    subjects_filter: subjects,
  });
  return Object.keys(state.subjects ?? {});
};
/** Resolves when the peer has been asked so often by others. */
async function awaitAsked(id: string, times: number): Promise<void> {
  let count = 0;
  const listening = connection.bus.nc.subscribe(connection.bus.subjects.peer(id), {
    callback: () => void (count += 1),
  });
  await eventually(() => count >= times, { timeoutMs: 30_000 });
  listening.unsubscribe();
}

describe('the runs of an orchestrator that is killed', () => {
  test('are requeued once, by one of four others, and each is delivered to one of them', async () => {
    const doomed = await startPeer({ id: 'peer-2' });
    const runs = await submit(6);
    await eventually(() => doomed.stores.length === runs.length, SOON);
    const others: Peer[] = [];
    for (const id of ['peer-0', 'peer-1', 'peer-3', 'peer-4'])
      others.push(await startPeer({ id, pulls: id !== 'peer-4' }));
    await awaitAsked('peer-2', 4);
    await doomed.kill();
    const again = () => others.flatMap(listRuns);
    await eventually(() => again().length >= runs.length, SOON);
    await awaitAsked('peer-1', 6);
    expect(again().toSorted()).toEqual(runs.toSorted());
    expect(await claims()).toEqual([expect.stringMatching(/claim\.peer-2$/)]);
  }, 60_000);

  test('are requeued by its successor, if it was the only one', async () => {
    const doomed = await startPeer();
    const runs = await submit(3);
    await eventually(() => doomed.stores.length === runs.length, SOON);
    await doomed.kill();
    const successor = await startPeer();
    await eventually(() => successor.taken.length === runs.length, SOON);
    expect(listRuns(successor).toSorted()).toEqual(runs.toSorted());
  }, 60_000);
});

describe('the runs of an orchestrator that lives stay with it', () => {
  test('while it is stopped: its commands are delivered again after the ack wait', async () => {
    const stopped = await startPeer({ id: 'stopped' });
    const runs = await submit(2);
    await eventually(() => stopped.stores.length === runs.length, SOON);
    const other = await startPeer();
    await awaitAsked('stopped', 3);
    stopped.freeze();
    await awaitAsked('stopped', 4);
    expect((await findHeldRuns(stream.access)).map(({ owner }) => owner)).toEqual(['stopped', 'stopped']);
    expect(other.taken).toEqual([]);
  }, 60_000);

  test('while it writes heads, though it cannot be reached: the claim is given up', async () => {
    const writing = await startPeer({ id: 'writing', answers: false });
    await submit(1);
    await eventually(() => writing.stores.length === 1, SOON);
    const log = createCollectedLog();
    const other = await startPeer({ log });
    const ended = new AbortController();
    // In sequence: the head rejects a write that overlaps with another one.
    const writeHeads = async (n = 1): Promise<void> => {
      await writing.stores[0]?.write({ nextIndex: n });
      await delay(200);
      if (!ended.signal.aborted) await writeHeads(n + 1);
    };
    const writes = writeHeads();
    onTestFinished(() => (ended.abort(), writes));
    await eventually(() => JSON.stringify(log).includes('writes heads'), { timeoutMs: 30_000 });
    expect(other.taken).toEqual([]);
    expect((await claims()).filter((key) => key.endsWith('writing'))).toEqual([]);
  }, 60_000);

  test('through a restart of NATS', async () => {
    const peers = [await startPeer({ id: 'p0' }), await startPeer({ id: 'p1' }), await startPeer({ id: 'p2' })];
    const runs = await submit(6);
    const countTakenRuns = () => peers.flatMap(listRuns);
    await eventually(() => countTakenRuns().length === runs.length, SOON);
    await awaitAsked('p1', 2);
    await nats.stop();
    await nats.start();
    await eventually(() => peers.every(({ bus }) => bus.hasConnection()), { timeoutMs: 20_000 });
    await awaitAsked('p1', 12);
    expect(countTakenRuns()).toHaveLength(runs.length);
    expect((await claims()).filter((key) => /p\d$/.test(key))).toEqual([]);
  }, 90_000);
});
