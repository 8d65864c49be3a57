// The verbs of runs: submit, run, cancel, replay, events. Any orchestrator answers them.
import {
  MillraceError,
  publicEvent,
  type ApiAnswer,
  type ApiRequest,
  type Command,
  type RunHead,
} from '@millrace/contracts';
import { publish, publishDurably, type JetStreamAccess } from '@millrace/bus';
import type { AgentStore } from '../agents/agent-store.ts';
import { askCancel, readHead } from '../state/run-store.ts';
import { unknownAgent } from './agents-api.ts';
import { readChunks, readEvents } from './read-run.ts';
import { refuseBadRequest } from './request-issues.ts';

/** The server's limit leaves room for the command's own members. */
const COMMAND_ROOM_BYTES = 4 * 1024;

export function createRunsApi(access: JetStreamAccess, agents: AgentStore) {
  const { bus } = access;
  const headOf = async (tenant: string, run: string): Promise<RunHead> => {
    const entry = await readHead(access, tenant, run);
    if (entry) return entry.value;
    throw new MillraceError('run-unknown', `There is no run "${run}".`, {
      remedy: 'Final states are kept for 24 hours.',
    });
  };
  return {
    async submit(request: ApiRequest<'submit'>, call: Call): Promise<ApiAnswer<'submit'>> {
      const { tenant, run } = addressOf(call);
      refuseOthers(request, tenant, run);
      const applied = await agents.get(tenant, request.agent);
      if (!applied) {
        throw unknownAgent(
          request.agent,
          agents.list(tenant).map((one) => one.agent.name),
        );
      }
      refuseBadRequest(request, applied.agent.callerRoles);
      const bytes = Buffer.byteLength(JSON.stringify(request));
      if (bytes > bus.maxPayload() - COMMAND_ROOM_BYTES) throw tooLarge(bytes, bus.maxPayload());
      const command: Command = { command: 'start', request, submittedAt: Date.now() };
      // The same id is the same run: within the stream's duplicate window by this, later by the run's state.
      if (await readHead(access, tenant, run)) return { runId: run, accepted: true };
      await publishDurably(access, bus.subjects.runs(tenant), command, `${tenant}.${run}`);
      return { runId: run, accepted: true };
    },
    async run(_request: object, call: Call): Promise<ApiAnswer<'run'>> {
      const { tenant, run } = addressOf(call);
      const { status, result } = await headOf(tenant, run);
      return { runId: run, status, ...(result && { result }) };
    },
    async cancel(_request: object, call: Call): Promise<ApiAnswer<'cancel'>> {
      const { tenant, run } = addressOf(call);
      await askCancel(access, tenant, run);
      publish(bus, bus.subjects.control(tenant, run), { control: 'cancel' });
      const head = await readHead(access, tenant, run);
      return { runId: run, status: head?.value.status ?? 'queued' };
    },
    async replay({ epoch, index }: ApiRequest<'replay'>, call: Call): Promise<ApiAnswer<'replay'>> {
      const { tenant, run } = addressOf(call);
      return readChunks(access, await headOf(tenant, run), { epoch, index });
    },
    async events(_request: object, call: Call): Promise<ApiAnswer<'events'>> {
      const { tenant, run } = addressOf(call);
      await headOf(tenant, run);
      return { events: (await readEvents(access, tenant, run)).map(publicEvent) };
    },
    async eventsDetail(_request: object, call: Call): Promise<ApiAnswer<'events-detail'>> {
      const { tenant, run } = addressOf(call);
      await headOf(tenant, run);
      return { events: await readEvents(access, tenant, run) };
    },
  };
}

type Call = { tenant: string; run: string | undefined };

function addressOf({ tenant, run }: Call): { tenant: string; run: string } {
  if (run !== undefined) return { tenant, run };
  throw new MillraceError('token-invalid', 'The subject names no run.');
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
  return new MillraceError('message-too-large', `The request of ${bytes} bytes is over the limit of ${limit}.`, {
    path: 'messages',
    remedy: 'Send less text, or send files as references.',
  });
}
