// Runs as the work queue delivers them, driven against real streams and a scripted model, without the queue itself.
import {
  buildAgentKey,
  buildTextMessage,
  storedAgentSchema,
  type Agent,
  type Chunk,
  type ChunkBatch,
  type Plan,
  type RunEnd,
  type RunHead,
  type StartCommand,
} from '@millrace/contracts';
import { chunkBatchSchema } from '@millrace/contracts';
import { listen, readEntry, writeEntry, type Delivery } from '@millrace/bus';
import { onTestFinished } from 'vitest';
import { driveRun } from '../takeover/drive-run.ts';
import type { Deps } from '../state/run-context.ts';
import { readEnd, readHead } from '../head/run-head.ts';
import { createRunStop, type RunStop } from '../state/run-stop.ts';
import { createDiscovery } from '../peers/discovery.ts';
import { createSessionInbox } from '../peers/session-inbox.ts';
import type { TestJetStream } from './jetstream.ts';
import { createDrivenRuns } from '../state/driven-runs.ts';
import type { DeferredSaves } from '../saves/deferred-saves.ts';
import { noSaves } from './no-saves.ts';
import { makeAgent } from './run-states.ts';
import { scriptModel, type Say, type ScriptedModel } from './scripted-model.ts';

export type DrivenRun = {
  runId: string;
  delivery: Delivery<StartCommand>;
  stop: RunStop;
  /** Number of times that the command was acked, and extended. */
  countAcks(): number;
  live: ChunkBatch[];
  chunks(): Chunk[];
  drive(more?: Partial<Delivery>): Promise<void>;
  head(): Promise<RunHead | undefined>;
  /** The run's end, once it has ended. */
  end(): Promise<RunEnd | undefined>;
  fence(): void;
};

/** Of commands that a test does not store: no stored command has it. */
const UNSTORED_SEQUENCE = 7_000_000;

type BeginOptions = { agent?: string; deadlineMs?: number; sequence?: number; text?: string; threadId?: string };
export type Driver = {
  deps: Deps & { saves: DeferredSaves };
  errors: string[];
  apply(agent?: Partial<Agent>, plan?: Plan): Promise<string>;
  begin(options?: BeginOptions): Promise<DrivenRun>;
  stop(): void;
};

const emptyPlan: Plan = { entries: {}, order: {}, tools: [] };
let count = 0;

/** Stops when the test ends. */
export const createDriver = (stream: TestJetStream, ...script: Say[]): Driver & Pick<ScriptedModel, 'asked'> =>
  createModelDriver(stream, scriptModel(...script));

export function createModelDriver(
  { access }: TestJetStream,
  { models, asked }: ScriptedModel,
): Driver & Pick<ScriptedModel, 'asked'> {
  const { bus } = access;
  const sessions = createSessionInbox(bus);
  const discovery = createDiscovery(bus);
  const errors: string[] = [];
  const quiet = () => undefined;
  const log = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (_: object, message: string) => void errors.push(message),
  };
  const agents = {
    getAtLeast: async (tenant: string, agent: string) =>
      (await readEntry(access, bus.names.agents, buildAgentKey(tenant, agent), storedAgentSchema))?.value,
  };
  const deps: Driver['deps'] = {
    access,
    models,
    // The tests serve their tools without advertising them.
    discovery: { ...discovery, findServiceOfTool: () => 'tools' },
    sessions,
    saves: noSaves,
    log,
    agents,
    driven: createDrivenRuns(),
  };
  const listenings: { stop(): void }[] = [];
  const stop = () => {
    for (const listening of listenings) listening.stop();
    sessions.stop();
    discovery.stop();
  };
  onTestFinished(stop);
  return {
    deps,
    asked,
    errors,
    async apply(agent = {}, plan = emptyPlan) {
      const name = agent.name ?? `agent-${count++}`;
      const applied = {
        agent: makeAgent({ ...agent, name }),
        plan,
        revision: 0,
        appliedAt: '2026-01-01T00:00:00.000Z',
      };
      await writeEntry(access, bus.names.agents, buildAgentKey('acme', name), applied, { expectedRevision: 0 });
      return name;
    },
    async begin(options = {}) {
      const runId = `run-${count++}`;
      const live: ChunkBatch[] = [];
      listenings.push(
        listen(bus, bus.subjects.chunks('acme', 'operator', runId), chunkBatchSchema, (batch) => live.push(batch)),
      );
      await bus.nc.flush();
      return beginRun(deps, runId, live, options);
    },
    stop,
  };
}

function beginRun(
  deps: Driver['deps'],
  runId: string,
  live: ChunkBatch[],
  { agent = 'nosuch', deadlineMs = 60_000, sequence = UNSTORED_SEQUENCE, text = 'hello', threadId }: BeginOptions,
): DrivenRun {
  const { access } = deps;
  const { bus } = access;
  const stop = createRunStop();
  let acknowledged = 0;
  const messages = [buildTextMessage('m1', 'user', text)];
  const thread = threadId === undefined ? {} : { threadId };
  const request = { runId, tenant: 'acme', agent, messages, requestContext: {}, deadlineMs, ...thread };
  const delivery: Delivery<StartCommand> = {
    command: { command: 'start', submittedAt: Date.now(), requestHash: `hash of ${runId}`, request },
    sequence,
    queue: bus.names.worker(),
    acknowledge: async () => void (acknowledged += 1),
    extend: () => undefined,
    handOver: () => undefined,
    putOff: () => undefined,
  };
  const readCurrentHead = async () => (await readHead(access, 'acme', runId))?.value;
  return {
    runId,
    delivery,
    stop,
    countAcks: () => acknowledged,
    live,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the orchestrator published as chunks
    chunks: () => live.flatMap(({ chunks }) => chunks) as Chunk[],
    drive(more = {}) {
      const driving = driveRun(deps, { ...delivery, ...more }, stop).then(async () => bus.nc.flush());
      // A test that fences the run awaits the rejection later.
      driving.catch(() => undefined);
      return driving;
    },
    head: readCurrentHead,
    end: async () => {
      const head = await readCurrentHead();
      return head && readEnd(access, head);
    },
    fence: () => stop.fence(),
  };
}
