// Runs that are put away and taken up again by another orchestrator, over the real queue: call it after useJetStream.
import {
  stateKeys,
  toolReplySchema,
  toolRequestSchema,
  type OpenPending,
  type ShownPending,
  type ToolRequest,
} from '@millrace/contracts';
import { consumeCommands, consumeExpiries, serve, type Bus, type Delivery } from '@millrace/bus';
import { eventually } from '@millrace/testkit';
import { afterEach } from 'vitest';
import { createRunsApi } from '../api/runs-api.ts';
import { expireRun } from '../run/expire-run.ts';
import { createRunConsumer } from '../run/run-consumer.ts';
import { createDriver, type DrivenRun } from './driven-runs.ts';
import type { TestJetStream } from './jetstream.ts';
import { anything, agents } from './runs-api.ts';
import type { Say } from './scripted-model.ts';

export function useSuspendedRuns(stream: TestJetStream) {
  const stops: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });
  const driver = (...script: Say[]) => {
    const made = createDriver(stream, ...script);
    stops.push(made.stop);
    return made;
  };
  const api = () => createRunsApi(stream.access, agents, anything);
  const address = ({ runId }: DrivenRun) => ({ tenant: 'acme', run: runId });
  /** The keys of what is stored of the run, in order. */
  const keptOf = async ({ runId }: DrivenRun): Promise<string[]> => {
    const { bus, jsm } = stream.access;
    const prefix = `$KV.${bus.names.state}.`;
    const { state } = await jsm.streams.info(`KV_${bus.names.state}`, { subjects_filter: '>' });
    const keys = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
    return keys.filter((key) => key.split('.')[2] === runId).toSorted();
  };
  const statusOf = async (run: DrivenRun) => (await run.head())?.status;
  return {
    stops,
    driver,
    api,
    address,
    /** Another orchestrator, which takes what is in the queue until the test is over. */
    orchestrator(...script: Say[]) {
      const made = driver(...script);
      const draining = new AbortController();
      const consumer = createRunConsumer(made.deps, { maxRuns: 8, maxRunsPerTenant: 8 }, draining.signal);
      const consuming = consumeCommands(
        stream.access,
        { room: consumer.room, take: consumer.take, refuse: () => undefined },
        draining.signal,
      );
      const stop = async () => {
        draining.abort();
        await consumer.drain(1_000);
        await consuming;
      };
      stops.push(stop);
      return { ...made, stop };
    },
    statusOf,
    becomes: (run: DrivenRun, status: string) => eventually(async () => (await statusOf(run)) === status),
    /** What the run waits for, as operators are told. */
    async pending(run: DrivenRun): Promise<OpenPending[]> {
      const { suspended } = await api().suspendedList({ after: 0, limit: 1_000 }, { tenant: 'acme', run: undefined });
      return suspended.find(({ runId }) => runId === run.runId)?.pending ?? [];
    },
    /** What is asked, as whoever follows the run is told. */
    shown(run: DrivenRun): ShownPending[] {
      const last = run.chunks().findLast(({ type }) => type === 'suspended');
      return last?.type === 'suspended' ? (last.payload.pending ?? []) : [];
    },
    resume: (run: DrivenRun, token: string, data: Parameters<ReturnType<typeof api>['resume']>[0]['data']) =>
      api().resume({ token, data }, address(run)),
    /** What is in the queue next, and stays there until it is acknowledged. */
    async nextCommand(): Promise<Delivery> {
      const stopping = new AbortController();
      const { promise, resolve } = Promise.withResolvers<Delivery>();
      const take = async (delivery: Delivery) => resolve(delivery);
      const consuming = consumeCommands(stream.access, { take, refuse: () => undefined }, stopping.signal);
      const delivery = await promise;
      stopping.abort();
      await consuming;
      return delivery;
    },
    /** What expires is ended, until the test is over. */
    expire() {
      const stopping = new AbortController();
      const consuming = consumeExpiries(stream.access, (expiry) => expireRun(stream.access, expiry), stopping.signal);
      stops.push(async () => {
        stopping.abort();
        await consuming;
      });
    },
    changes: async (read: () => Promise<string | undefined>, from: string | undefined) =>
      eventually(async () => {
        const now = await read();
        return now !== undefined && now !== from;
      }),
    /** Returns what ends it. */
    serveTool(bus: Bus, name: string, answer: (request: ToolRequest) => Promise<object>) {
      const handle = async (request: ToolRequest) =>
        toolReplySchema.parse({ sequence: 0, replica: bus.id, ...(await answer(request)) });
      const serving = serve(bus, { subject: bus.subjects.tool(name), request: toolRequestSchema, handle });
      return () => serving.drain(1_000);
    },
    keptOf,
    /** The keys that outlive the run: its head, and the end that the head names. */
    async lastingKeys(run: DrivenRun): Promise<string[]> {
      const name = (await run.head())?.end?.name ?? '';
      return [stateKeys.end('acme', run.runId, name), stateKeys.head('acme', run.runId)];
    },
    /** Counts the schedules that the server holds for the run. */
    async timersOf({ runId }: DrivenRun): Promise<number> {
      const { subjects, names } = stream.access.bus;
      const options = { subjects_filter: subjects.timer('acme', runId) };
      const { state } = await stream.access.jsm.streams.info(names.timers, options);
      return Object.keys(state.subjects ?? {}).length;
    },
    /** How long the server keeps what is stored of the run, s: the shortest of all entries. */
    async shortestTtl(run: DrivenRun): Promise<number> {
      const { bus, jsm } = stream.access;
      const { state } = bus.names;
      const subjects = (await keptOf(run)).map((key) => `$KV.${state}.${key}`);
      const ttls = subjects.map(async (subject) => {
        const stored = await jsm.streams.getMessage(`KV_${state}`, { last_by_subj: subject });
        return Number.parseInt(stored?.header.get('Nats-TTL') ?? '', 10);
      });
      if (!subjects.includes(`$KV.${state}.${stateKeys.head('acme', run.runId)}`)) return 0;
      return Math.min(...(await Promise.all(ttls)));
    },
  };
}
