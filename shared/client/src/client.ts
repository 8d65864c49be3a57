// The client: everything that a caller may ask of Millrace, over one connection and under one tenant.
import {
  DEFAULT_TENANT,
  type ApiAnswer,
  type AppliedAgent,
  type JsonValue,
  type PublicRunEvent,
  type RunEvent,
  type RunInspection,
  type RunResult,
  type RunStatus,
  type ShownSave,
  type Suspension,
  type Thread,
} from '@millrace/contracts';
import { gatherInfo } from '@millrace/bus';
import { answerPending, releaseRun } from './answer-pending.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Position } from './chunk-merge.ts';
import { openConnection, type Ask, type ConnectOptions } from './connection.ts';
import { processorsOf, type ProcessorInfo, type ProcessorList } from './processor-list.ts';
import type { Run } from './run.ts';
import type { RunInput, StartOptions } from './run-request.ts';
import { followRun, startRun } from './start-run.ts';

type Page = { limit?: number; offset?: number };
export type FollowOptions = {
  /** Where an earlier reading stopped; the start of the run if absent. */
  from?: Position | undefined;
  /** Ends the reading; the run goes on. */
  signal?: AbortSignal | undefined;
};

/** Every call throws coded: what the service answered, or nobody-there, timeout, bus-unreachable. */
export type Client = {
  tenant: string;
  /** Resolves when the run is accepted; its chunks are being read by then. */
  start(agent: string, input: RunInput, options?: StartOptions): Promise<Run>;
  /** start, and its result. */
  generate(agent: string, input: RunInput, options?: StartOptions): Promise<RunResult>;
  /** A run that somebody started, also one that has ended: what it said is replayed. */
  follow(runId: string, options?: FollowOptions): Promise<Run>;
  runs: {
    get(runId: string): Promise<ApiAnswer<'run'>>;
    cancel(runId: string): Promise<RunStatus>;
    /** What suspended runs wait for, with the tokens: a verb for operators. */
    suspended(): Promise<Suspension[]>;
    /** Answers one of them: for operators. */
    resume(runId: string, token: string, data: JsonValue): Promise<void>;
    /** Answers a question to the caller. */
    answer(runId: string, token: string, data: JsonValue): Promise<void>;
    release(runId: string): Promise<RunStatus>;
    /** What each stage did, in order: verdicts, times, how many violations of which rule. */
    events(runId: string): Promise<PublicRunEvent[]>;
    /** The same with reasons, spans and the words of errors: a verb for operators. */
    eventsDetail(runId: string): Promise<RunEvent[]>;
    /** The calls that the run has under way, its owner and its deferred saves: a verb for operators. */
    inspect(runId: string): Promise<RunInspection>;
    /** The tenant's runs, a page at a time, in the order of their last change. */
    list(page?: { limit?: number; after?: number }): Promise<ApiAnswer<'runs-list'>>;
  };
  threads: {
    list(of?: Page & { resourceId?: string | undefined }): Promise<ApiAnswer<'threads-list'>>;
    get(threadId: string): Promise<Thread>;
    /** `last`: only the newest so many, in order. `unsaved`: runs whose messages are stored when their store is back. */
    messages(threadId: string, page?: Page & { last?: number | undefined }): Promise<ThreadMessages>;
  };
  /** Memories that save when their store is back, of a thread or of all: the first to be made first. */
  saves: { list(of?: { threadId?: string | undefined }): Promise<ApiAnswer<'saves-list'>> };
  /** What was given up; a verb for operators. */
  deadLetters: {
    list(page?: { limit?: number; after?: number }): Promise<ApiAnswer<'dead-letters-list'>>;
    /** A run begins anew under the id that is answered; a save is put off once more. */
    retry(runId: string): Promise<ApiAnswer<'dead-letters-retry'>>;
  };
  /** Working memory, of a thread or of all threads of a resource. */
  memory: {
    get(of: { resourceId?: string | undefined; threadId?: string | undefined }): Promise<ApiAnswer<'memory-get'>>;
  };
  agents: {
    /** Every problem of the definition is an issue of the one error, agent-invalid. */
    apply(definition: JsonValue, options?: { dryRun?: boolean }): Promise<ApiAnswer<'agents-apply'>>;
    list(): Promise<AppliedAgent[]>;
    get(agent: string): Promise<AppliedAgent>;
    /** With the revision that was deleted. */
    delete(agent: string): Promise<ApiAnswer<'agents-delete'>>;
    /** Of an applied agent, or of a definition that is not applied. */
    plan(of: { agent: string } | { definition: JsonValue }): Promise<ApiAnswer<'agents-plan'>>;
  };
  processors: {
    list(): Promise<ProcessorInfo[]>;
    /** With what is advertised but refused, and why. */
    survey(): Promise<ProcessorList>;
  };
  /** Readers that are under way end with `cancelled`; the runs go on. */
  close(): Promise<void>;
};

type ThreadMessages = ApiAnswer<'messages-list'> & {
  /** Absent where no orchestrator is there to say. */
  unsaved?: ShownSave[];
};

/** How long discovery waits for answers, ms: nobody knows how many there are. */
const GATHER_MS = 500;

/** @throws bus-unreachable, with the address and who named it; config-invalid */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const { tenant = DEFAULT_TENANT } = options;
  const connection = await openConnection(options, tenant);
  const { bus, ask } = connection;
  const closing = new AbortController();
  const start: Client['start'] = (agent, input, more = {}) => startRun(connection, agent, input, more, closing.signal);
  const survey = async () => processorsOf(await gatherInfo(bus, { gatherMs: GATHER_MS }), bus.subjects);
  return {
    tenant,
    start,
    generate: async (agent, input, more) => (await start(agent, input, more)).result(),
    follow: (runId, more = {}) => followRun(connection, runId, more, closing.signal),
    runs: {
      get: (run) => ask('run', {}, { run }),
      cancel: async (run) => (await ask('cancel', {}, { run })).status,
      suspended: () =>
        allPages(async (after) => {
          const { suspended, next } = await ask('suspended-list', { after });
          return { items: suspended, next };
        }),
      resume: async (runId, token, data) =>
        void (await answerPending(connection, 'resume', { runId, token, data }, closing.signal)),
      answer: async (runId, token, data) =>
        void (await answerPending(connection, 'answer', { runId, token, data }, closing.signal)),
      release: (runId) => releaseRun(connection, runId, closing.signal),
      events: (run) => allEvents((after) => ask('events', { after }, { run })),
      eventsDetail: (run) => allEvents((after) => ask('events-detail', { after }, { run })),
      inspect: (run) => ask('inspect', {}, { run }),
      list: (page = {}) => ask('runs-list', page),
    },
    threads: {
      list: (of = {}) => ask('threads-list', of),
      get: (threadId) => ask('threads-get', { threadId }),
      messages: (threadId, page = {}) => threadMessages(ask, threadId, page),
    },
    saves: { list: (of = {}) => ask('saves-list', of) },
    deadLetters: {
      list: (page = {}) => ask('dead-letters-list', page),
      retry: (run) => ask('dead-letters-retry', {}, { run }),
    },
    memory: { get: (of) => ask('memory-get', of) },
    agents: {
      apply: (definition, { dryRun = false } = {}) => ask('agents-apply', { definition, dryRun }),
      list: () => allAgents(ask),
      get: (agent) => ask('agents-get', { agent }),
      delete: (agent) => ask('agents-delete', { agent }),
      plan: (of) => ask('agents-plan', of),
    },
    processors: { list: async () => (await survey()).processors, survey },
    close: async () => {
      closing.abort();
      await bus.close();
    },
  };
}

/** Who reads a thread does not wait longer to learn what is missing: a user without that right would be answered nothing. */
const SAVES_WAIT_MS = 1_000;

async function threadMessages(ask: Ask, threadId: string, page: object): Promise<ThreadMessages> {
  const asked = ask('saves-list', { threadId }).catch(() => undefined);
  const answer = await ask('messages-list', { threadId, ...page });
  const waiting = await Promise.race([asked, delay(SAVES_WAIT_MS, undefined, { ref: false })]);
  return waiting ? { ...answer, unsaved: waiting.saves } : answer;
}

/** Pages until there is no next one: each is after the one before it, so that this ends. */
async function allPages<E>(page: (after: number) => Promise<{ items: E[]; next?: number | undefined }>): Promise<E[]> {
  const all: E[] = [];
  for (let after = 0; ;) {
    const { items, next } = await page(after);
    all.push(...items);
    if (next === undefined || next <= after) return all;
    after = next;
  }
}

function allEvents<E>(page: (after: number) => Promise<{ events: E[]; next?: number | undefined }>): Promise<E[]> {
  return allPages(async (after) => {
    const { events: items, next } = await page(after);
    return { items, next };
  });
}

async function allAgents(ask: Ask): Promise<AppliedAgent[]> {
  const all: AppliedAgent[] = [];
  for (let after: string | undefined; ;) {
    const { agents, next } = await ask('agents-list', { after });
    all.push(...agents);
    if (next === undefined || (after !== undefined && next <= after)) return all;
    after = next;
  }
}
