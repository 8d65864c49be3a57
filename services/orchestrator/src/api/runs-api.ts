// Implements the verbs of runs: submit, run, cancel, resume, answer, release, replay, events, and the lists. Any
// orchestrator answers them.
import {
  MillraceError,
  isOperator,
  toPublicEvent,
  type ApiAnswer,
  type ApiRequest,
  type PendingKind,
  type RunHead,
  type ToolDefinition,
} from '@millrace/contracts';
import type { ApiCall, JetStreamAccess } from '@millrace/bus';
import type { Budgets } from '../budgets/budgets.ts';
import type { AgentStore } from '../agents/agent-store.ts';
import { endUndriven, endIfOverdue } from '../takeover/end-undriven.ts';
import { isAtRest, readEnd, readHead } from '../head/run-head.ts';
import { createUnknownAgentError } from './agents-api.ts';
import { cancelRun } from './cancel-run.ts';
import { readChanges } from './read-changes.ts';
import { readChunks, readEvents, computeRemainingMs } from './read-run.ts';
import { listRuns, readNewestRun, summarizeRun } from './list-runs.ts';
import type { RunIndex } from './run-index.ts';
import { listSuspended } from './list-suspended.ts';
import { bindRequest } from './own-request.ts';
import { createWaitingLimit } from './waiting-runs.ts';
import { checkAddress, isVisible, createUnknownRunError } from './run-address.ts';
import { createNotSuspendedError, resumeRun } from './resume-run.ts';
import type { SchemaChecker } from '../peers/schema-checker.ts';
import { openLists, type OpenedPeers } from './open-lists.ts';
import { refuseBadRequest, refuseBadSchema } from './request-issues.ts';
import { submitRun } from './submit-run.ts';
import type { SubmitGuard } from './submit-limits.ts';

/** Room for the envelope of a command or a record below the server's limit. */
const COMMAND_ROOM_BYTES = 4 * 1024;

export type RunsApiOptions = {
  access: JetStreamAccess;
  agents: AgentStore;
  submits: SubmitGuard;
  /** Absent: the cost of runs has no limit. */
  budgets?: Pick<Budgets, 'refuseSpent'> | undefined;
  schemas: SchemaChecker;
  discovery: OpenedPeers;
  /** Absent: the lists read all heads. */
  index?: RunIndex | undefined;
};

export function createRunsApi({ access, agents, submits, budgets, schemas, discovery, index }: RunsApiOptions) {
  const { bus } = access;
  const refuseTooManyWaiting = createWaitingLimit(access, index);
  const requireHead = async (call: ApiCall): Promise<RunHead> => {
    const { tenant, run } = checkAddress(call);
    const entry = await readHead(access, tenant, run);
    if (entry && isVisible(entry.value, call)) return endIfOverdue(access, entry.value);
    throw createUnknownRunError(run);
  };
  const resumeWith = async (request: ApiRequest<'resume'>, call: ApiCall, kinds: readonly PendingKind[]) => {
    const head = await requireHead(call);
    const { epoch } = await resumeRun(access, head, request, { kinds, readTools: () => readTools(agents, head) });
    return { runId: head.runId, accepted: true as const, epoch };
  };
  const readEventsPage = async (page: ApiRequest<'events'>, call: ApiCall) =>
    readEvents(access, await requireHead(call), page);
  return {
    async submit(request: ApiRequest<'submit'>, call: ApiCall): Promise<ApiAnswer<'submit'>> {
      const { tenant, run } = checkAddress(call);
      refuseOthers(request, tenant, run);
      const own = await bindRequest(request, call);
      submits.check(request, call);
      await budgets?.refuseSpent(own);
      const applied = await findAgent(agents, tenant, request.agent);
      const opened = isOperator(call.caller) ? await openLists(request, applied.value.plan, discovery) : {};
      const stored = { ...own, ...opened };
      refuseBadRequest(stored, applied.value);
      await refuseBadSchema(request, schemas);
      refuseLargeRequest(stored, applied, bus.readMaxPayload());
      if (request.clientTools) await refuseTooManyWaiting(call);
      const created = await submitRun(access, stored, applied.revision, call.submission);
      return { runId: run, accepted: true, created };
    },
    async run(_request: object, call: ApiCall): Promise<ApiAnswer<'run'>> {
      const head = await requireHead(call);
      const { status, runId } = head;
      const end = isAtRest(head) ? await readEnd(access, head) : undefined;
      const pending = end?.lastChunk.type === 'suspended' ? end.lastChunk.payload.pending : undefined;
      const details = { ...(end && { result: end.result }), ...(pending && { pending }) };
      const summary = summarizeRun(head);
      return { runId, status, summary, remainingMs: computeRemainingMs(head, access.clock.now()), ...details };
    },
    async cancel(_request: object, call: ApiCall): Promise<ApiAnswer<'cancel'>> {
      const { tenant, run } = checkAddress(call);
      const status = await cancelRun(access, { ...call, tenant, run });
      if (status === undefined) throw createUnknownRunError(run);
      return { runId: run, status };
    },
    resume: (request: ApiRequest<'resume'>, call: ApiCall): Promise<ApiAnswer<'resume'>> =>
      resumeWith(request, call, ['approval', 'question']),
    answer: (request: ApiRequest<'answer'>, call: ApiCall): Promise<ApiAnswer<'answer'>> =>
      resumeWith(request, call, ['question']),
    async release(_request: object, call: ApiCall): Promise<ApiAnswer<'release'>> {
      const address = checkAddress(call);
      const isSuspended = (head: RunHead) => head.status === 'suspended' && isVisible(head, call);
      const released = { status: 'released' } as const;
      const { head } = await endUndriven(access, { ...address, runId: address.run }, released, isSuspended);
      if (!head || !isVisible(head, call)) throw createUnknownRunError(address.run);
      if (head.status !== 'suspended' && head.status !== 'released')
        throw createNotSuspendedError(head.runId, head.status);
      return { runId: head.runId, status: 'released' };
    },
    suspendedList: (page: ApiRequest<'suspended-list'>, call: ApiCall): Promise<ApiAnswer<'suspended-list'>> =>
      listSuspended(access, call, page),
    async replay({ epoch, index }: ApiRequest<'replay'>, call: ApiCall): Promise<ApiAnswer<'replay'>> {
      return readChunks(access, await requireHead(call), { epoch, index });
    },
    async events(page: ApiRequest<'events'>, call: ApiCall): Promise<ApiAnswer<'events'>> {
      const { events, ...more } = await readEventsPage(page, call);
      return { events: events.map(toPublicEvent), ...more };
    },
    eventsDetail: (page: ApiRequest<'events-detail'>, call: ApiCall): Promise<ApiAnswer<'events-detail'>> =>
      readEventsPage(page, call),
    changes: async (_request: object, call: ApiCall) => readChanges(access, await requireHead(call)),
    list: (page: ApiRequest<'runs-list'>, call: ApiCall) => listRuns(access, index, call, page),
    newest: (request: ApiRequest<'runs-newest'>, call: ApiCall) => readNewestRun(access, index, call, request),
  };
}

/** Returns the tools of the agent as it is applied now: those of the run may differ, and the run checks them. */
const readTools = async (agents: AgentStore, { tenant, agent }: RunHead): Promise<readonly ToolDefinition[]> =>
  (await agents.find(tenant, agent))?.value.plan.tools ?? [];

/** If the subject names tenant and run, only those count. */
function refuseOthers(request: ApiRequest<'submit'>, tenant: string, run: string): void {
  if (request.tenant === tenant && request.runId === run) return;
  throw new MillraceError(
    'run-refused',
    `The request names ${request.tenant}.${request.runId}, its subject ${tenant}.${run}.`,
    {
      path: request.tenant === tenant ? 'runId' : 'tenant',
      remedy: 'Put the same tenant and run into both.',
    },
  );
}

/** @throws agent-unknown */
async function findAgent(agents: AgentStore, tenant: string, name: string) {
  const applied = await agents.find(tenant, name);
  if (applied) return applied;
  const names = agents.list(tenant).map((one) => one.agent.name);
  throw createUnknownAgentError(name, names);
}

/** The run's first record holds the request and the agent, the schema and the tools in both. @throws message-too-large */
function refuseLargeRequest(request: ApiRequest<'submit'>, applied: object, limit: number): void {
  const { structuredOutput = {}, clientTools = [] } = request;
  const stored = [request, applied, structuredOutput, clientTools];
  const bytes = Buffer.byteLength(stored.map((one) => JSON.stringify(one)).join(''));
  if (bytes > limit - COMMAND_ROOM_BYTES) throw createRequestTooLargeError(bytes, limit);
}

function createRequestTooLargeError(bytes: number, limit: number): MillraceError {
  return new MillraceError(
    'message-too-large',
    `The request and its agent are ${bytes} bytes; the limit is ${limit}.`,
    {
      path: 'messages',
      remedy: 'Send less text, or send files as references.',
    },
  );
}
