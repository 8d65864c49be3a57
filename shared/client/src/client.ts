// Defines the client: all requests of a caller, over one connection and under one tenant.
import {
  CHECK_MS,
  DEFAULT_TENANT,
  type ApiAnswer,
  type ApiRequestInput,
  type AppliedAgent,
  type JsonObject,
  type JsonValue,
  type KeyRequest,
  type Message,
  type PublicRunEvent,
  type RunEvent,
  type RunInspection,
  type RunResult,
  type RunStatus,
  type ShownKey,
  type ShownSave,
  type Suspension,
  type Thread,
  type Position,
  type ProcessorInfo,
} from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import { answerPending, releaseRun } from './answer-pending.ts';
import { setTimeout as delay } from 'node:timers/promises';
import {
  attachCaller,
  openConnection,
  type AskApi,
  type Caller,
  type ClientConnection,
  type ConnectOptions,
} from './connection.ts';
import { collectAgents, collectEvents, collectKeys, collectPages } from './collect-pages.ts';
import { collectProcessors, type ProcessorList } from './processor-list.ts';
import type { Run } from './run.ts';
import { requireJson, type RunInput, type StartOptions } from './run-request.ts';
import { followRun, startRun } from './start-run.ts';

/** Times are ISO 8601 in UTC. */
type RunsPage = ApiRequestInput<'runs-list'>;
type MemoryAddress = { resourceId?: string | undefined; threadId?: string | undefined };
type PageRange = { limit?: number; offset?: number };
export type FollowOptions = {
  /** Position at which an earlier reader stopped. Default: the start of the run. */
  from?: Position | undefined;
  /** Stops reading; the run continues. */
  signal?: AbortSignal | undefined;
};

/** Every call throws coded errors: that of the service, or nobody-there, timeout, bus-unreachable. */
export type Client = {
  tenant: string;
  /** Resolves when the run is accepted; its chunks are read from then on. */
  start(agent: string, input: RunInput, options?: StartOptions): Promise<Run>;
  /** Starts a run and returns its result. */
  generate(agent: string, input: RunInput, options?: StartOptions): Promise<RunResult>;
  /**
   * Judges texts or messages with the processors of an agent, without a model, memory or state. Resolves within
   * `timeoutMs`, default 30,000. @throws run-refused, agent-unknown, too-many-requests, run-deadline-exceeded
   */
  check(request: ApiRequestInput<'check'>): Promise<ApiAnswer<'check'>>;
  /** Follows an existing run, also an ended one: its chunks are replayed. */
  follow(runId: string, options?: FollowOptions): Promise<Run>;
  runs: {
    get(runId: string): Promise<ApiAnswer<'run'>>;
    cancel(runId: string): Promise<RunStatus>;
    /** Pending items of suspended runs with their tokens: operators only. */
    listSuspended(): Promise<Suspension[]>;
    /** Answers a pending item: operators only. */
    resume(runId: string, token: string, data: JsonValue): Promise<void>;
    /** Answers a question for the caller. */
    answer(runId: string, token: string, data: JsonValue): Promise<void>;
    release(runId: string): Promise<RunStatus>;
    /** Events of each stage, in order: verdicts, durations, number of violations by rule. */
    events(runId: string): Promise<PublicRunEvent[]>;
    /** The same with reasons, spans and error messages: operators only. */
    eventsDetail(runId: string): Promise<RunEvent[]>;
    /** The calls that the run has under way, its owner and its deferred saves: operators only. */
    inspect(runId: string): Promise<RunInspection>;
    /** Lists runs by page, in the order of their last change; with `newest` the latest first. Filters are combined. */
    list(page?: RunsPage): Promise<ApiAnswer<'runs-list'>>;
    /** Returns the newest run of a thread, with its input as processInput passed it. @throws run-unknown */
    newest(threadId: string): Promise<ApiAnswer<'runs-newest'>>;
  };
  threads: {
    list(of?: PageRange & { resourceId?: string | undefined }): Promise<ApiAnswer<'threads-list'>>;
    get(threadId: string): Promise<Thread>;
    rename(threadId: string, title: string): Promise<Thread>;
    /** Deletes messages, vectors and working memory of the thread. Returns the number of messages. */
    delete(threadId: string): Promise<number>;
    /** `last`: only the newest N, in order. `unsaved`: runs with messages that wait for their store. */
    messages(threadId: string, page?: PageRange & { last?: number | undefined }): Promise<ThreadMessages>;
  };
  messages: {
    /** Appends messages that no guard has judged: operators only. Returns the number of messages of the thread. */
    save(threadId: string, messages: readonly Message[], of?: { resourceId?: string | undefined }): Promise<number>;
    /** Deletes messages and their vectors; `deleted` and `total` count messages. At most 1,000 ids. */
    delete(threadId: string, ids: readonly string[]): Promise<{ deleted: number; total: number }>;
  };
  /** Deferred saves of memories, of a thread or of all, in the order of execution. */
  saves: { list(of?: { threadId?: string | undefined }): Promise<ApiAnswer<'saves-list'>> };
  /**
   * Erases a resource in every store, and returns the progress; a call with the same id returns it again. Operators only.
   */
  erase(resourceId: string, options?: { eraseId?: string }): Promise<ApiAnswer<'erase'>>;
  /** Dead letters: operators only. */
  deadLetters: {
    list(page?: { limit?: number; after?: number }): Promise<ApiAnswer<'dead-letters-list'>>;
    /** Starts a run again under the returned id, or defers a save again. */
    retry(runId: string): Promise<ApiAnswer<'dead-letters-retry'>>;
  };
  /** Working memory, of a thread or of all threads of a resource. */
  memory: {
    get(of: MemoryAddress): Promise<ApiAnswer<'memory-get'>>;
    /**
     * Replaces a memory; with `version`, only that one. null: the memory is empty from then on. Operators only.
     * @throws state-conflict if the memory has another version
     */
    set(of: MemoryAddress & { version?: number }, memory: JsonObject | null): Promise<ApiAnswer<'memory-set'>>;
  };
  agents: {
    /** Every problem of the definition is an issue of one error, agent-invalid. @throws not-json for a function */
    apply(definition: JsonValue, options?: { dryRun?: boolean }): Promise<ApiAnswer<'agents-apply'>>;
    list(): Promise<AppliedAgent[]>;
    get(agent: string): Promise<AppliedAgent>;
    /** Returns the deleted revision. */
    delete(agent: string): Promise<ApiAnswer<'agents-delete'>>;
    /** Plan of an applied agent, or of a definition that is not applied. */
    plan(of: { agent: string } | { definition: JsonValue }): Promise<ApiAnswer<'agents-plan'>>;
  };
  /** API keys of the tenant: operators only. */
  keys: {
    /** Returns the new key; no later answer contains it. @throws key-invalid, keys-full */
    create(key: KeyRequest): Promise<ApiAnswer<'keys-create'>>;
    /** Lists the keys by id, without their secrets. */
    list(): Promise<ShownKey[]>;
    /** @throws key-unknown */
    revoke(id: string): Promise<void>;
  };
  /** Running processors, as an orchestrator discovers them: operators only. */
  processors: {
    list(): Promise<ProcessorInfo[]>;
    /** Includes rejected advertisements with their problems. */
    survey(): Promise<ProcessorList>;
  };
  /** Active readers end with `cancelled`; the runs continue. */
  close(): Promise<void>;
};

type ThreadMessages = ApiAnswer<'messages-list'> & {
  /** Absent if no orchestrator answers. */
  unsaved?: ShownSave[];
};

/** @throws bus-unreachable with the address and its source; config-invalid */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const { tenant = DEFAULT_TENANT } = options;
  const connection = await openConnection(options, tenant);
  return createClient(connection, () => connection.bus.close());
}

/**
 * Creates the client of one caller over the connection of a service that serves many callers. `close` ends its readers
 * and leaves the connection open.
 */
export async function attachClient(bus: Bus, caller: Caller): Promise<Client> {
  return createClient(await attachCaller(bus, caller), async () => undefined);
}

/** Time for the answer of a check to arrive after its own deadline. */
const ANSWER_MS = 5_000;

function createClient(connection: ClientConnection, disconnect: () => Promise<void>): Client {
  const { tenant, ask } = connection;
  const closing = new AbortController();
  const start: Client['start'] = (agent, input, more = {}) => startRun(connection, agent, input, more, closing.signal);
  return {
    tenant,
    start,
    generate: async (agent, input, more) => (await start(agent, input, more)).result(),
    check: (request) => ask('check', request, { timeoutMs: (request.timeoutMs ?? CHECK_MS) + ANSWER_MS }),
    follow: (runId, more = {}) => followRun(connection, runId, more, closing.signal),
    runs: {
      get: (run) => ask('run', {}, { run }),
      cancel: async (run) => (await ask('cancel', {}, { run })).status,
      listSuspended: () =>
        collectPages(async (after) => {
          const { suspended, next } = await ask('suspended-list', { after });
          return { items: suspended, next };
        }),
      resume: async (runId, token, data) =>
        void (await answerPending(connection, 'resume', { runId, token, data }, closing.signal)),
      answer: async (runId, token, data) =>
        void (await answerPending(connection, 'answer', { runId, token, data }, closing.signal)),
      release: (runId) => releaseRun(connection, runId, closing.signal),
      events: (run) => collectEvents((after) => ask('events', { after }, { run })),
      eventsDetail: (run) => collectEvents((after) => ask('events-detail', { after }, { run })),
      inspect: (run) => ask('inspect', {}, { run }),
      list: (page = {}) => ask('runs-list', page),
      newest: (threadId) => ask('runs-newest', { threadId }),
    },
    threads: {
      list: (of = {}) => ask('threads-list', of),
      get: (threadId) => ask('threads-get', { threadId }),
      rename: (threadId, title) => ask('threads-rename', { threadId, title }),
      delete: async (threadId) => (await ask('threads-delete', { threadId })).messages,
      messages: (threadId, page = {}) => threadMessages(ask, threadId, page),
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
    deadLetters: {
      list: (page = {}) => ask('dead-letters-list', page),
      retry: (run) => ask('dead-letters-retry', {}, { run }),
    },
    memory: {
      get: (of) => ask('memory-get', of),
      set: (of, memory) => ask('memory-set', { ...of, memory, setId: crypto.randomUUID() }),
    },
    agents: {
      apply: async (definition, { dryRun = false } = {}) => {
        requireJson(definition, 'definition');
        return ask('agents-apply', { definition, dryRun });
      },
      list: () => collectAgents(ask),
      get: (agent) => ask('agents-get', { agent }),
      delete: (agent) => ask('agents-delete', { agent }),
      plan: async (of) => {
        requireJson(of, 'plan');
        return ask('agents-plan', of);
      },
    },
    keys: {
      create: (key) => ask('keys-create', key),
      list: () => collectKeys(ask),
      revoke: async (id) => void (await ask('keys-revoke', { id })),
    },
    processors: { list: async () => (await collectProcessors(ask)).processors, survey: () => collectProcessors(ask) },
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

async function threadMessages(ask: AskApi, threadId: string, page: object): Promise<ThreadMessages> {
  const asked = ask('saves-list', { threadId }).catch(() => undefined);
  const answer = await ask('messages-list', { threadId, ...page });
  const waiting = await Promise.race([asked, delay(SAVES_WAIT_MS, undefined, { ref: false })]);
  return waiting ? { ...answer, unsaved: waiting.saves } : answer;
}
