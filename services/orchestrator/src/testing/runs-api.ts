// The verbs of runs over real streams, with one agent of one tenant, and the content of the queue.
import {
  OPERATOR_CALLER,
  buildTextMessage,
  type AppliedAgent,
  type RunRequest,
  type StartCommand,
} from '@millrace/contracts';
import { consumeCommands, type Delivery } from '@millrace/bus';
import { eventually } from '@millrace/testkit';
import { onTestFinished } from 'vitest';
import type { AgentStore } from '../agents/agent-store.ts';
import { createRunsApi } from '../api/runs-api.ts';
import type { OpenedPeers } from '../api/open-lists.ts';
import { createSchemaChecker } from '../peers/schema-checker.ts';
import { createDriver } from './driven-runs.ts';
import type { TestJetStream } from './jetstream.ts';
import { makeAgent } from './run-states.ts';

export const applied: AppliedAgent = {
  agent: makeAgent(),
  plan: { entries: {}, order: {}, tools: [] },
  revision: 1,
  appliedAt: '',
};
export const agents: AgentStore = {
  get: async (tenant, agent) => (tenant === 'acme' && agent === 'demo' ? applied : undefined),
  find: async (tenant, agent) => (tenant === 'acme' && agent === 'demo' ? { value: applied, revision: 1 } : undefined),
  getAtLeast: async (tenant, agent) => (tenant === 'acme' && agent === 'demo' ? applied : undefined),
  list: (tenant) => (tenant === 'acme' ? [applied] : []),
  put: async () => applied,
  delete: async () => undefined,
  reload: async () => undefined,
  stop: () => undefined,
};
let count = 0;
export const schemas = createSchemaChecker();
/** No limits. */
export const anything = { check: () => undefined };
/** No service runs. */
export const discovery: OpenedPeers = {
  getProcessors: () => new Map(),
  getTools: () => new Map(),
  listRefused: () => [],
  refresh: async () => undefined,
};
export const newRun = () => ({ tenant: 'acme', caller: OPERATOR_CALLER, run: `api-run-${count++}` });
type Address = ReturnType<typeof newRun>;
export const page = { after: 0, limit: 100 };
const messages = [buildTextMessage('m1', 'user', 'hello')];
export const makeRequest = ({ tenant, run }: Address, more: Partial<RunRequest> = {}): RunRequest => ({
  runId: run,
  tenant,
  agent: 'demo',
  messages,
  requestContext: {},
  deadlineMs: 1_000,
  ...more,
});

const isStart = (delivery: Delivery): delivery is Delivery<StartCommand> => delivery.command.command === 'start';

/** Call it after useJetStream: resources that a test opens are closed after it. */
export function useRunsApi(stream: TestJetStream) {
  const queuedMessages = async () =>
    (await stream.access.jsm.streams.info(stream.access.bus.names.runs)).state.messages;
  const consume = () => {
    const taken: Delivery[] = [];
    const stop = new AbortController();
    const take = async (delivery: Delivery) => {
      taken.push(delivery);
      await delivery.acknowledge();
    };
    const consuming = consumeCommands(stream.access, { take, refuse: () => undefined }, stop.signal);
    const end = async () => {
      stop.abort();
      await consuming;
    };
    return { taken, end };
  };
  const driver = (...script: Parameters<typeof createDriver>[1][]) => createDriver(stream, ...script);
  return {
    api: () => createRunsApi({ access: stream.access, agents, submits: anything, schemas, discovery }),
    driver,
    /** The commands from the queue, as they arrive. */
    takeQueued(): Delivery[] {
      const { taken, end } = consume();
      onTestFinished(end);
      return taken;
    },
    /** Drains the queue and returns the commands of one run. */
    async takeCommands(address?: Address): Promise<Delivery<StartCommand>[]> {
      const { taken, end } = consume();
      await eventually(async () => (await queuedMessages()) === 0);
      await end();
      return taken.filter(isStart).filter(({ command }) => command.request.runId === address?.run);
    },
    async listEnded() {
      const made = driver({ text: 'Hello.' });
      const run = await made.begin({ agent: await made.apply() });
      await run.drive();
      return { run, address: { caller: 'operator', tenant: 'acme', run: run.runId } };
    },
  };
}
