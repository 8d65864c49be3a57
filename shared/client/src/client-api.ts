// Defines the client: all requests of a caller, over one connection and under one tenant.
import type {
  ApiAnswer,
  ApiRequestInput,
  AppliedAgent,
  JsonObject,
  JsonValue,
  KeyRequest,
  Message,
  Position,
  ProcessorInfo,
  PublicAgent,
  PublicRunEvent,
  RunEvent,
  RunInspection,
  RunResult,
  RunStatus,
  ShownKey,
  ShownSave,
  Suspension,
  Thread,
} from '@millrace/contracts';
import type { ProcessorList } from './processor-list.ts';
import type { EditOptions, Run } from './run.ts';
import type { RunInput, StartOptions } from './run-request.ts';

/** Times are ISO 8601 in UTC. */
type RunsPage = ApiRequestInput<'runs-list'>;
type MemoryAddress = { resourceId?: string | undefined; threadId?: string | undefined };
type SearchOptions = MemoryAddress & {
  limit?: number | undefined;
  threshold?: number | undefined;
  /** Number of messages before and after each hit. */
  withPrevious?: number | undefined;
  withNext?: number | undefined;
};
type PageRange = { limit?: number; offset?: number };
export type FollowOptions = {
  /** Position at which an earlier reader stopped. Default: the start of the run. */
  from?: Position | undefined;
  /** Suspensions up to this epoch have been answered: their last chunks do not end the run. */
  answeredTo?: number | undefined;
  /** Tokens of questions that have been answered: a `suspended` chunk with one of them does not end the run. */
  answeredTokens?: readonly string[] | undefined;
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
    /**
     * Answers a pending item: operators only. With `args` it approves a call with other arguments, which every guard of
     * the call judges. @throws tool-arguments-invalid
     */
    resume(runId: string, token: string, data: JsonValue, edit?: EditOptions): Promise<void>;
    /** Answers a question for the caller. `hold`: the run stays suspended until an answer without it. */
    answer(runId: string, token: string, data: JsonValue, options?: { hold?: boolean }): Promise<void>;
    release(runId: string): Promise<RunStatus>;
    /**
     * Deletes a run that is not active, with its result and its chunks; its messages stay in the thread. A suspended run
     * ends as cancelled first. @throws run-unknown, state-conflict if the run is active
     */
    delete(runId: string): Promise<void>;
    /** Events of each stage, in order: verdicts, durations, number of violations by rule. */
    events(runId: string): Promise<PublicRunEvent[]>;
    /** The same with reasons, spans and error messages: operators only. */
    eventsDetail(runId: string): Promise<RunEvent[]>;
    /** What each processor changed, if the agent records it: operators only. */
    changes(runId: string): Promise<ApiAnswer<'changes'>>;
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
    /**
     * Searches the messages of a resource by meaning, or with `threadId` those of one thread; the nearest first, at most
     * 50. Default of a caller's `resourceId`: its identity.
     */
    search(query: string, of?: SearchOptions): Promise<ApiAnswer<'threads-search'>['hits']>;
    /**
     * Creates a thread without messages. Defaults: a new id, and the caller's identity as `resourceId`.
     * @throws state-conflict if the thread exists
     */
    create(given?: ApiRequestInput<'threads-create'>): Promise<Thread>;
    /**
     * Copies the thread up to the message `upTo` to a new thread of the same owner, at most 1,000 messages and 4 MiB. Returns the new
     * thread. Semantic recall does not index the copies. @throws state-conflict if the new thread exists
     */
    clone(threadId: string, options?: Omit<ApiRequestInput<'threads-clone'>, 'threadId'>): Promise<Thread>;
    /** Sets the title, or replaces the metadata of the caller, or both. */
    update(threadId: string, change: Omit<ApiRequestInput<'threads-update'>, 'threadId'>): Promise<Thread>;
    /** Deletes messages, vectors and working memory of the thread. Returns the number of messages. */
    delete(threadId: string): Promise<number>;
    /**
     * Deletes the message `from` and all later ones, with their vectors. `last`: the last message as the caller has read it.
     * @throws state-conflict if the thread has another last message
     */
    truncate(threadId: string, cut: { from: string; last: string }): Promise<{ deleted: number; total: number }>;
    /**
     * `last`: only the newest N, in order. `include`: the messages with these ids, at most 100, in the order of the ids; `total` counts those
     * that exist. `unsaved`: runs with messages that wait for their store.
     */
    messages(
      threadId: string,
      page?: PageRange & { last?: number | undefined; include?: readonly string[] | undefined },
    ): Promise<ThreadMessages>;
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
    /** The whole definitions with their plans: operators only. @throws scope-missing */
    list(): Promise<AppliedAgent[]>;
    get(agent: string): Promise<AppliedAgent>;
    /** The public part of each agent, for every caller: name, description, tools, questions, settings of callers. */
    listPublic(): Promise<PublicAgent[]>;
    getPublic(agent: string): Promise<PublicAgent>;
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
    /** Includes rejected advertisements with their problems, and with `loads` the load of each replica. */
    survey(options?: { loads?: boolean }): Promise<ProcessorList>;
    /**
     * Judges a text, or messages, with one processor at one stage, without an agent, memory or state.
     * @throws processor-unknown, entry-without-stage, options-invalid
     */
    try(request: ApiRequestInput<'processors-try'>): Promise<ApiAnswer<'processors-try'>>;
  };
  /** Version of an orchestrator, and the room of the streams: operators only. */
  status(): Promise<ApiAnswer<'status'>>;
  /** State of the providers, and of the models of applied agents: operators only. */
  models(): Promise<ApiAnswer<'models'>>;
  /**
   * Calls one tool alone: no processor judges arguments and result. Operators only. @throws tool-unknown,
   * tool-unconfirmed for a tool that writes or sends
   */
  callTool(request: ApiRequestInput<'tools-call'>): Promise<ApiAnswer<'tools-call'>>;
  /** Active readers end with `cancelled`; the runs continue. */
  close(): Promise<void>;
};

export type ThreadMessages = ApiAnswer<'messages-list'> & {
  /** Absent if no orchestrator answers. */
  unsaved?: ShownSave[];
};
