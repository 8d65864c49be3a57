// Limits a connection to agents: runs, threads and entries of lists of other agents do not exist for it. Every call of a
// client asks its connection, so no call passes by.
import { API, MillraceError, isOperatorVerb, type ApiAnswer, type ApiVerb, type RunSummary } from '@millrace/contracts';
import { z } from 'zod';
import type { AskApi, AskPublic, ClientConnection } from './connection.ts';

/** Members of requests that name an agent or a thread. Filters of lists name one too: their answers are filtered. */
const namedSchema = z.object({
  agent: z.string().optional(),
  agents: z.array(z.string()).optional(),
  threadId: z.string().optional(),
  newThreadId: z.string().optional(),
});
const FILTERED: ReadonlySet<ApiVerb> = new Set(['runs-list', 'runs-newest']);
/** Agents of all blocks of a thread. Threads of earlier versions have none. */
const recordedSchema = z.object({ agents: z.array(z.string()) });
/** Codes of a thread that no history has. */
const UNRECORDED: ReadonlySet<string> = new Set(['thread-unknown', 'nobody-there']);
const MAX_PAGE = 1_000;

export function limitConnection(connection: ClientConnection, agents: readonly string[]): ClientConnection {
  const checks = createChecks(connection.ask, new Set(agents));
  const filters = createFilters(checks);
  const ask: AskApi = async (verb, request, options = {}) => {
    const { run } = options;
    await checks.checkRequest(verb, request, run);
    const answer = await connection.ask(verb, request, options);
    if (verb === 'submit' && run !== undefined) checks.addRun(run);
    const filter: AnswerFilter<typeof verb> | undefined = filters[verb];
    return filter ? filter(answer) : answer;
  };
  const askPublic: AskPublic = async (verb, request) => {
    await checks.checkRequest(verb, request);
    return connection.askPublic(verb, request);
  };
  return { ...connection, ask, askPublic, agents: [...agents], requireRun: checks.requireRun, mayUse: checks.mayUse };
}

type Checks = ReturnType<typeof createChecks>;

function createChecks(ask: AskApi, agents: ReadonlySet<string>) {
  const own = new Set<string>();
  const mayUse = (agent: string) => agents.has(agent);
  /** An unknown run passes: the service answers, and keeps its cancel. @throws run-unknown for a run of another agent */
  const requireRun = async (run: string) => {
    if (own.has(run)) return;
    const found = await ask('run', {}, { run }).catch((error: unknown) => ignoreCodes(error, RUN_UNKNOWN));
    if (!found) return;
    if (!found.summary || !mayUse(found.summary.agent)) throw createUnknownRunError(run);
    own.add(run);
  };
  const hasForeignRun = async (threadId: string) => {
    for (let after = 0; ;) {
      const { runs, next } = await ask('runs-list', { threadId, after, limit: MAX_PAGE });
      if (runs.some(({ agent }) => !mayUse(agent))) return true;
      if (next === undefined || next <= after) return false;
      after = next;
    }
  };
  const isForeignRecord = (metadata: unknown): boolean | undefined => {
    const recorded = recordedSchema.safeParse(metadata).data;
    return recorded && !recorded.agents.every(mayUse);
  };
  const isForeignThread = async (threadId: string) => {
    const thread = await ask('threads-get', { threadId }).catch((error: unknown) => ignoreCodes(error, UNRECORDED));
    return isForeignRecord(thread?.metadata) === true || hasForeignRun(threadId);
  };
  return {
    mayUse,
    requireRun,
    isForeignThread,
    isForeignRecord,
    addRun: (run: string) => void own.add(run),
    /** @throws scope-missing, agent-unknown, run-unknown, thread-unknown */
    async checkRequest(verb: ApiVerb, request: unknown, run?: string) {
      if (isOperatorVerb(verb)) throw createScopeError(verb);
      const { agent, agents: named = [], threadId, newThreadId } = FILTERED.has(verb) ? {} : namedSchema.parse(request);
      const foreign = [...(agent === undefined ? [] : [agent]), ...named].find((name) => !mayUse(name));
      if (foreign !== undefined) throw createUnknownAgentError(foreign);
      // The answer of `run` names the agent.
      if (run !== undefined && API[verb].run && verb !== 'submit' && verb !== 'run') await requireRun(run);
      for (const thread of [threadId, newThreadId])
        if (thread !== undefined && (await isForeignThread(thread))) throw createUnknownThreadError(thread);
      if (verb === 'saves-list' && threadId === undefined) throw createScopeError(verb);
    },
  };
}

type AnswerFilter<V extends ApiVerb> = (answer: ApiAnswer<V>) => ApiAnswer<V> | Promise<ApiAnswer<V>>;

/** Filters of the answers that name runs and threads which their requests do not. */
function createFilters({ mayUse, isForeignThread, isForeignRecord }: Checks): { [V in ApiVerb]?: AnswerFilter<V> } {
  const requireOwn = (summary: RunSummary | undefined, run: string) => {
    if (!summary || !mayUse(summary.agent)) throw createUnknownRunError(run);
  };
  const keepOwn = async <T>(items: readonly T[], isForeign: (item: T) => boolean | Promise<boolean>): Promise<T[]> => {
    const kept: T[] = [];
    for (const item of items) if (!(await isForeign(item))) kept.push(item);
    return kept;
  };
  return {
    run: (answer) => {
      requireOwn(answer.summary, answer.runId);
      return answer;
    },
    'runs-newest': (answer) => {
      requireOwn(answer.run, answer.run.runId);
      return answer;
    },
    'runs-list': ({ runs, ...page }) => ({ ...page, runs: runs.filter(({ agent }) => mayUse(agent)) }),
    'threads-list': async ({ threads, ...page }) => ({
      ...page,
      threads: await keepOwn(threads, ({ id, metadata }) => isForeignRecord(metadata) ?? isForeignThread(id)),
    }),
    'threads-search': async ({ hits }) => {
      const foreign = new Map<string, boolean>();
      for (const { threadId } of hits)
        if (!foreign.has(threadId)) foreign.set(threadId, await isForeignThread(threadId));
      return { hits: hits.filter(({ threadId }) => foreign.get(threadId) === false) };
    },
  };
}

const RUN_UNKNOWN: ReadonlySet<string> = new Set(['run-unknown']);

function ignoreCodes(error: unknown, codes: ReadonlySet<string>): undefined {
  if (MillraceError.isInstance(error) && codes.has(error.code)) return;
  throw error;
}

const createUnknownRunError = (run: string): MillraceError =>
  new MillraceError('run-unknown', `There is no run "${run}".`, { remedy: 'Final states are kept for 24 hours.' });
const createUnknownThreadError = (threadId: string): MillraceError =>
  new MillraceError('thread-unknown', `There is no thread "${threadId}".`, {
    path: 'threadId',
    remedy: 'Use a new thread id, or a key for all agents of the thread.',
  });
const createUnknownAgentError = (agent: string): MillraceError =>
  new MillraceError('agent-unknown', `There is no agent "${agent}".`, { path: 'agent' });
const createScopeError = (verb: ApiVerb): MillraceError =>
  new MillraceError('scope-missing', `A credential that is limited to agents has no right to ${verb}.`, {
    remedy: 'Use a key without a list of agents.',
  });
