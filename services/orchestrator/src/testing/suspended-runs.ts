// Runs that are suspended and resumed by another orchestrator, over the real queue: call it after useJetStream.
import { stateKeys, type OpenPending, type ShownPending } from '@millrace/contracts';
import { consumeCommands, consumeExpiries, type Delivery, type JetStreamAccess } from '@millrace/bus';
import { eventually } from '@millrace/testkit';
import { onTestFinished } from 'vitest';
import { createRunsApi } from '../api/runs-api.ts';
import { expireRun } from '../takeover/expire-run.ts';
import { createRunConsumer } from '../takeover/run-consumer.ts';
import { createDriver, type DrivenRun } from './driven-runs.ts';
import type { TestJetStream } from './jetstream.ts';
import { anything, schemas, discovery, agents } from './runs-api.ts';
import type { Say } from './scripted-model.ts';
import { serveTool } from './test-servings.ts';

export function useSuspendedRuns(stream: TestJetStream) {
  const driver = (...script: Say[]) => createDriver(stream, ...script);
  const api = () => createRunsApi({ access: stream.access, agents, submits: anything, schemas, discovery });
  const address = ({ runId }: DrivenRun) => ({ caller: 'operator', tenant: 'acme', run: runId });
  const readStatus = async (run: DrivenRun) => (await run.head())?.status;
  const orchestratorWith = (access: JetStreamAccess, ...script: Say[]) => {
    const made = createDriver({ access }, ...script);
    const stop = serveCommands(stream.access, made);
    onTestFinished(stop);
    return { ...made, stop };
  };
  return {
    driver,
    api,
    address,
    /** Another orchestrator, which takes commands from the queue until the test has ended. */
    orchestrator: (...script: Say[]) => orchestratorWith(stream.access, ...script),
    /** The same with another access, which intercepts reads and writes of its runs. */
    orchestratorWith,
    /** Counts the commands of all runs in the queue. */
    countCommands: async () => (await stream.access.jsm.streams.info(stream.access.bus.names.runs)).state.messages,
    readStatus,
    becomes: (run: DrivenRun, status: string) => eventually(async () => (await readStatus(run)) === status),
    /** The run's questions, as operators see them. */
    async pending(run: DrivenRun): Promise<OpenPending[]> {
      const { suspended } = await api().suspendedList(
        { after: 0, limit: 1_000 },
        { caller: 'operator', tenant: 'acme', run: undefined },
      );
      return suspended.find(({ runId }) => runId === run.runId)?.pending ?? [];
    },
    /** The run's questions, as followers see them. */
    listShown(run: DrivenRun): ShownPending[] {
      const last = run.chunks().findLast(({ type }) => type === 'suspended');
      return last?.type === 'suspended' ? (last.payload.pending ?? []) : [];
    },
    resume: (run: DrivenRun, token: string, data: Parameters<ReturnType<typeof api>['resume']>[0]['data']) =>
      api().resume({ token, data }, address(run)),
    nextCommand: (run: DrivenRun) => takeNextCommand(stream, run.runId),
    /** Ends expired runs until the test has ended. */
    expire() {
      const stopping = new AbortController();
      const consuming = consumeExpiries(stream.access, (expiry) => expireRun(stream.access, expiry), stopping.signal);
      onTestFinished(async () => {
        stopping.abort();
        await consuming;
      });
    },
    changes: waitForChange,
    serveTool,
    listStoredKeys: (run: DrivenRun) => listStoredKeys(stream, run),
    /** The keys that outlive the run: its head, and the end that the head names. */
    async lastingKeys(run: DrivenRun): Promise<string[]> {
      const name = (await run.head())?.end?.name ?? '';
      return [stateKeys.end('acme', run.runId, name), stateKeys.head('acme', run.runId)];
    },
    /** Counts the schedules that the server holds for the run. */
    async countTimers({ runId }: DrivenRun): Promise<number> {
      const { subjects, names } = stream.access.bus;
      const options = { subjects_filter: subjects.timer('acme', runId) };
      const { state } = await stream.access.jsm.streams.info(names.timers, options);
      return Object.keys(state.subjects ?? {}).length;
    },
    shortestTtl: (run: DrivenRun) => readShortestTtl(stream, run),
  };
}

/** Takes commands from the queue. Returns a function that stops it. */
function serveCommands(access: JetStreamAccess, { deps }: ReturnType<typeof createDriver>): () => Promise<void> {
  const draining = new AbortController();
  const consumer = createRunConsumer(deps, { maxRuns: 8, maxRunsPerTenant: 8 }, draining.signal);
  const taking = { awaitRoom: consumer.awaitRoom, take: consumer.take, refuse: () => undefined };
  const consuming = consumeCommands(access, taking, draining.signal);
  return async () => {
    draining.abort();
    await consumer.drain(1_000);
    await consuming;
  };
}

/** Returns the next command of the run in the queue, which stays there until it is acked. Commands of other runs stay there too. */
async function takeNextCommand({ access }: TestJetStream, runId: string): Promise<Delivery> {
  const stopping = new AbortController();
  const { promise, resolve } = Promise.withResolvers<Delivery>();
  const take = async (delivery: Delivery) => {
    if (delivery.command.request.runId === runId) resolve(delivery);
  };
  const consuming = consumeCommands(access, { take, refuse: () => undefined }, stopping.signal);
  const delivery = await promise;
  stopping.abort();
  await consuming;
  return delivery;
}

/** Resolves when `read` returns another value than `from`. */
function waitForChange(read: () => Promise<string | undefined>, from: string | undefined) {
  return eventually(async () => {
    const now = await read();
    return now !== undefined && now !== from;
  });
}

/** Returns the sorted keys of the run's stored entries. */
async function listStoredKeys({ access }: TestJetStream, { runId }: DrivenRun): Promise<string[]> {
  const { bus, jsm } = access;
  const prefix = `$KV.${bus.names.state}.`;
  const { state } = await jsm.streams.info(`KV_${bus.names.state}`, { subjects_filter: '>' });
  const keys = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
  return keys.filter((key) => key.split('.')[2] === runId).toSorted();
}

/** Returns the shortest lifetime of the run's stored entries, s. */
async function readShortestTtl(stream: TestJetStream, run: DrivenRun): Promise<number> {
  const { bus, jsm } = stream.access;
  const { state } = bus.names;
  const subjects = (await listStoredKeys(stream, run)).map((key) => `$KV.${state}.${key}`);
  const ttls = subjects.map(async (subject) => {
    const stored = await jsm.streams.getMessage(`KV_${state}`, { last_by_subj: subject });
    return Number.parseInt(stored?.header.get('Nats-TTL') ?? '', 10);
  });
  if (!subjects.includes(`$KV.${state}.${stateKeys.head('acme', run.runId)}`)) return 0;
  return Math.min(...(await Promise.all(ttls)));
}
