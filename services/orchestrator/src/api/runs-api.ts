// The verbs of runs: submit, run, cancel, resume, answer, release, replay, events, and the lists. Any orchestrator answers them.
import {
  MillraceError,
  publicEvent,
  runHeadSchema,
  stateKeys,
  type ApiAnswer,
  type ApiRequest,
  type PendingKind,
  type RunHead,
  type RunSummary,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import type { AgentStore } from '../agents/agent-store.ts';
import { endIfOverdue, endOverdue } from '../state/end-overdue.ts';
import { endUndriven } from '../state/end-undriven.ts';
import { isAtRest, readEnd, readHead } from '../state/run-head.ts';
import { unknownAgent } from './agents-api.ts';
import { cancelRun } from './cancel-run.ts';
import { pageBytes, readChunks, readEvents, remainingMs } from './read-run.ts';
import { listSuspended } from './list-suspended.ts';
import { readPage } from './read-stored.ts';
import { addressOf, unknownRun, type Call } from './run-address.ts';
import { notSuspended, resumeRun } from './resume-run.ts';
import { refuseBadRequest } from './request-issues.ts';
import { submitRun } from './submit-run.ts';
import type { SubmitGuard } from './submit-limits.ts';

/** The server's limit leaves room for what a command and a record say besides. */
const COMMAND_ROOM_BYTES = 4 * 1024;

export function createRunsApi(access: JetStreamAccess, agents: AgentStore, submits: SubmitGuard) {
  const { bus } = access;
  const headOf = async (tenant: string, run: string): Promise<RunHead> => {
    const entry = await readHead(access, tenant, run);
    if (entry) return endIfOverdue(access, entry.value);
    throw unknownRun(run);
  };
  const resumeWith = async (request: ApiRequest<'resume'>, call: Call, kinds: readonly PendingKind[]) => {
    const { tenant, run } = addressOf(call);
    const { epoch } = await resumeRun(access, await headOf(tenant, run), request, kinds);
    return { runId: run, accepted: true as const, epoch };
  };
  const eventsOf = async (page: ApiRequest<'events'>, call: Call) => {
    const { tenant, run } = addressOf(call);
    return readEvents(access, await headOf(tenant, run), page);
  };
  return {
    async submit(request: ApiRequest<'submit'>, call: Call): Promise<ApiAnswer<'submit'>> {
      const { tenant, run } = addressOf(call);
      refuseOthers(request, tenant, run);
      submits.check(request);
      const applied = await agents.find(tenant, request.agent);
      if (!applied) {
        throw unknownAgent(
          request.agent,
          agents.list(tenant).map((one) => one.agent.name),
        );
      }
      refuseBadRequest(request, applied.value);
      // Both stand in the run's first record.
      const bytes = Buffer.byteLength(JSON.stringify(request)) + Buffer.byteLength(JSON.stringify(applied));
      if (bytes > bus.maxPayload() - COMMAND_ROOM_BYTES) throw tooLarge(bytes, bus.maxPayload());
      await submitRun(access, request, applied.revision);
      return { runId: run, accepted: true };
    },
    async run(_request: object, call: Call): Promise<ApiAnswer<'run'>> {
      const { tenant, run } = addressOf(call);
      const head = await headOf(tenant, run);
      const { status } = head;
      const end = isAtRest(head) ? await readEnd(access, head) : undefined;
      const pending = end?.lastChunk.type === 'suspended' ? end.lastChunk.payload.pending : undefined;
      const told = { ...(end && { result: end.result }), ...(pending && { pending }) };
      return { runId: run, status, remainingMs: remainingMs(head, access.clock.now()), ...told };
    },
    async cancel(_request: object, call: Call): Promise<ApiAnswer<'cancel'>> {
      const { tenant, run } = addressOf(call);
      const status = await cancelRun(access, tenant, run);
      if (status === undefined) throw unknownRun(run);
      return { runId: run, status };
    },
    resume: (request: ApiRequest<'resume'>, call: Call): Promise<ApiAnswer<'resume'>> =>
      resumeWith(request, call, ['approval', 'question']),
    answer: (request: ApiRequest<'answer'>, call: Call): Promise<ApiAnswer<'answer'>> =>
      resumeWith(request, call, ['question']),
    async release(_request: object, call: Call): Promise<ApiAnswer<'release'>> {
      const address = addressOf(call);
      const isSuspended = ({ status }: RunHead) => status === 'suspended';
      const released = { status: 'released' } as const;
      const { head } = await endUndriven(access, { ...address, runId: address.run }, released, isSuspended);
      if (!head) throw unknownRun(address.run);
      if (head.status !== 'suspended' && head.status !== 'released') throw notSuspended(head.runId, head.status);
      return { runId: head.runId, status: 'released' };
    },
    suspendedList: (page: ApiRequest<'suspended-list'>, { tenant }: Call): Promise<ApiAnswer<'suspended-list'>> =>
      listSuspended(access, tenant, page),
    async replay({ epoch, index }: ApiRequest<'replay'>, call: Call): Promise<ApiAnswer<'replay'>> {
      const { tenant, run } = addressOf(call);
      return readChunks(access, await headOf(tenant, run), { epoch, index });
    },
    async events(page: ApiRequest<'events'>, call: Call): Promise<ApiAnswer<'events'>> {
      const { events, ...more } = await eventsOf(page, call);
      return { events: events.map(publicEvent), ...more };
    },
    eventsDetail: (page: ApiRequest<'events-detail'>, call: Call): Promise<ApiAnswer<'events-detail'>> =>
      eventsOf(page, call),
    async list({ limit, after }: ApiRequest<'runs-list'>, { tenant }: Call): Promise<ApiAnswer<'runs-list'>> {
      const { state } = bus.names;
      const query = {
        stream: `KV_${state}`,
        subject: `$KV.${state}.${stateKeys.heads(tenant)}`,
        schema: runHeadSchema,
      };
      const options = { from: after + 1, maxMessages: limit, maxBytes: pageBytes(access) };
      const { found, next } = await readPage(access, query, options);
      const heads = await endOverdue(
        access,
        found.map(({ value }) => value),
      );
      const runs = heads.map(summaryOf);
      return { runs, ...(next !== undefined && { next: next - 1 }) };
    },
  };
}

function summaryOf({ runId, status, agent, submittedAt, startedAt, retryOf }: RunHead): RunSummary {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    runId,
    status,
    agent,
    submittedAt: iso(submittedAt),
    ...(startedAt !== undefined && { startedAt: iso(startedAt) }),
    ...(retryOf !== undefined && { retryOf }),
  };
}

/** Where a subject has tenant and run, they alone count. */
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

function tooLarge(bytes: number, limit: number): MillraceError {
  return new MillraceError(
    'message-too-large',
    `The request and its agent are ${bytes} bytes; the limit is ${limit}.`,
    {
      path: 'messages',
      remedy: 'Send less text, or send files as references.',
    },
  );
}
