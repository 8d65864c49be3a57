// Connects a client, and implements its calls.
import { CHECK_MS, DEFAULT_TENANT } from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import { answerPending, releaseRun, resumePending } from './answer-pending.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ThreadMessages } from './client-api.ts';
import {
  attachCaller,
  openConnection,
  type AskApi,
  type Caller,
  type ClientConnection,
  type ConnectOptions,
} from './connection.ts';
import { collectEvents, collectPages } from './collect-pages.ts';
import { limitConnection } from './limited-connection.ts';
import { ANSWER_MS, createOperatorCalls } from './operator-calls.ts';
import { followRun, startRun } from './start-run.ts';

/** @throws bus-unreachable with the address and its source; config-invalid */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const { tenant = DEFAULT_TENANT } = options;
  const connection = await openConnection(options, tenant);
  return createClient(connection, () => connection.bus.close());
}

/** `agents`: runs and threads of others do not exist for the client. Default: no limit. */
type LimitedCaller = Caller & { agents?: readonly string[] | undefined };

/**
 * Creates the client of one caller over the connection of a service that serves many callers. `close` ends its readers
 * and leaves the connection open.
 */
export async function attachClient(bus: Bus, { agents, ...caller }: LimitedCaller): Promise<Client> {
  const connection = await attachCaller(bus, caller);
  return createClient(agents ? limitConnection(connection, agents) : connection, async () => undefined);
}

function createClient(connection: ClientConnection, disconnect: () => Promise<void>): Client {
  const { tenant, ask } = connection;
  const closing = new AbortController();
  const start: Client['start'] = (agent, input, more = {}) => startRun(connection, agent, input, more, closing.signal);
  return {
    tenant,
    start,
    generate: async (agent, input, more) => (await start(agent, input, more)).result(),
    check: (request) => ask('check', request, { timeoutMs: (request.timeoutMs ?? CHECK_MS) + ANSWER_MS }),
    follow: async (runId, more = {}) => {
      // Before the subscription to the chunks.
      await connection.requireRun(runId);
      return followRun(connection, runId, more, closing.signal);
    },
    runs: {
      get: (run) => ask('run', {}, { run }),
      cancel: async (run) => (await ask('cancel', {}, { run })).status,
      listSuspended: () =>
        collectPages(async (after) => {
          const { suspended, next } = await ask('suspended-list', { after });
          return { items: suspended, next };
        }),
      resume: async (runId, token, data, { args } = {}) =>
        void (await resumePending(connection, { runId, token, data, args }, closing.signal)),
      answer: async (runId, token, data, { hold } = {}) =>
        void (await answerPending(connection, { runId, token, data, hold }, closing.signal)),
      release: (runId) => releaseRun(connection, runId, closing.signal),
      delete: async (run) => void (await ask('delete', {}, { run })),
      events: (run) => collectEvents((after) => ask('events', { after }, { run })),
      eventsDetail: (run) => collectEvents((after) => ask('events-detail', { after }, { run })),
      changes: (run) => ask('changes', {}, { run }),
      inspect: (run) => ask('inspect', {}, { run }),
      list: (page = {}) => ask('runs-list', page),
      newest: (threadId) => ask('runs-newest', { threadId }),
    },
    threads: {
      list: (of = {}) => ask('threads-list', of),
      get: (threadId) => ask('threads-get', { threadId }),
      search: async (query, { resourceId = connection.subject, ...of } = {}) =>
        (await ask('threads-search', { ...of, resourceId, query })).hits,
      create: ({
        threadId = crypto.randomUUID(),
        resourceId = connection.subject,
        agents = connection.agents,
        ...more
      } = {}) => ask('threads-create', { ...more, threadId, resourceId, agents }),
      clone: (threadId, { newThreadId = crypto.randomUUID(), ...more } = {}) =>
        ask('threads-clone', { ...more, threadId, newThreadId }),
      update: (threadId, change) => ask('threads-update', { ...change, threadId }),
      delete: async (threadId) => (await ask('threads-delete', { threadId })).messages,
      truncate: (threadId, { from, last }) => ask('threads-truncate', { threadId, from, last }),
      messages: (threadId, page = {}) => listThreadMessages(ask, threadId, page),
    },
    messages: {
      save: async (threadId, messages, { resourceId = connection.subject } = {}) => {
        const request = { threadId, messages: [...messages], saveId: crypto.randomUUID() };
        return (await ask('messages-save', { ...request, resourceId })).total;
      },
      delete: (threadId, ids) => ask('messages-delete', { threadId, ids: [...ids] }),
    },
    saves: { list: (of = {}) => ask('saves-list', of) },
    erase: (resourceId, { eraseId = crypto.randomUUID() } = {}) => ask('erase', { resourceId, eraseId }),
    memory: {
      get: (of) => ask('memory-get', of),
      set: (of, memory) => ask('memory-set', { ...of, memory, setId: crypto.randomUUID() }),
    },
    ...createOperatorCalls(connection),
    close: async () => {
      closing.abort();
      await disconnect();
    },
  };
}

/**
 * Maximum delay of a thread's messages by the list of missing saves: without the permission that request gets no
 * answer.
 */
const SAVES_WAIT_MS = 1_000;

async function listThreadMessages(ask: AskApi, threadId: string, page: object): Promise<ThreadMessages> {
  const asked = ask('saves-list', { threadId }).catch(() => undefined);
  const answer = await ask('messages-list', { threadId, ...page });
  const waiting = await Promise.race([asked, delay(SAVES_WAIT_MS, undefined, { ref: false })]);
  return waiting ? { ...answer, unsaved: waiting.saves } : answer;
}
