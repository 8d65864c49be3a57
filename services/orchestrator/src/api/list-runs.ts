// Implements the lists of runs: a page with filters, and the newest run of a thread with its judged input. They read the
// index; without one, all heads of the tenant.
import {
  MillraceError,
  isFinal,
  type ApiAnswer,
  type ApiRequest,
  type Message,
  type RunHead,
  type RunSummary,
} from '@millrace/contracts';
import type { ApiCall, JetStreamAccess } from '@millrace/bus';
import { endIfOverdue, isOverdue } from '../takeover/end-undriven.ts';
import { loadRun } from '../state/load-run.ts';
import { pageBytes } from '../transcript/logged-chunks.ts';
import { isAtRest, readEnd, readHead } from '../head/run-head.ts';
import { listInput } from '../state/run-state.ts';
import { isVisible } from './run-address.ts';
import type { RunIndex } from './run-index.ts';
import { createRunMatch, type ListedRun } from './run-list.ts';
import { selectStored } from './stored-runs.ts';

/** Overdue runs of a page that are ended at once; the others are ended with the next page. */
const MAX_ENDED_AT_ONCE = 32;

export async function listRuns(
  access: JetStreamAccess,
  index: RunIndex | undefined,
  call: ApiCall,
  request: ApiRequest<'runs-list'>,
): Promise<ApiAnswer<'runs-list'>> {
  const match = createRunMatch(request, call);
  const list = await index?.find(call.tenant);
  const { runs, next } = list ? list.select(match, request) : await selectStored(access, call.tenant, match, request);
  const current = await endOverdueRuns(access, call.tenant, runs);
  const { status } = request;
  const items = current.filter((run) => status === undefined || run.status === status);
  const fitting = takeWithin(items, pageBytes(access));
  const last = fitting.at(-1);
  const after = last && fitting.length < items.length ? last.revision : next;
  return { runs: fitting.map(summarizeRun), ...(after !== undefined && { next: after }) };
}

/** Submitted last, of equal times the one that changed last. */
export async function readNewestRun(
  access: JetStreamAccess,
  index: RunIndex | undefined,
  call: ApiCall,
  { threadId }: ApiRequest<'runs-newest'>,
): Promise<ApiAnswer<'runs-newest'>> {
  const { tenant } = call;
  const match = createRunMatch({ threadId }, call);
  const all = { limit: Infinity, after: 0 };
  const list = await index?.find(tenant);
  const { runs } = list?.select(match, all) ?? (await selectStored(access, tenant, match, all));
  const newest = runs.reduce<ListedRun | undefined>(
    (best, run) => (best && best.submittedAt > run.submittedAt ? best : run),
    undefined,
  );
  const there = newest && (await readHead(access, tenant, newest.runId));
  // Another caller may have used the id of an expired run again.
  if (!there || !isVisible(there.value, call)) throw createThreadWithoutRunsError(threadId);
  const head = await endIfOverdue(access, there.value);
  const end = isAtRest(head) ? await readEnd(access, head) : undefined;
  const input = isFinal(head.status) ? end?.input : await readPassedInput(access, head);
  const run = summarizeRun(head);
  return { run, ...(end && { result: end.result }), ...(input && { input }) };
}

/** Returns the input of a run that has not ended, if processInput has passed it. Records of an ended run are deleted. */
async function readPassedInput(access: JetStreamAccess, head: RunHead): Promise<Message[] | undefined> {
  const state = await loadRun(access, head).catch((error: unknown) => {
    // The run ends now.
    if (MillraceError.isInstance(error) && error.code === 'run-state-unreadable') return undefined;
    throw error;
  });
  return state?.inputPassed ? listInput(state) : undefined;
}

/** Returns the runs, in order, as they are afterwards. */
async function endOverdueRuns(
  access: JetStreamAccess,
  tenant: string,
  runs: readonly ListedRun[],
): Promise<ListedRun[]> {
  const now = access.clock.now();
  const overdue = new Set(runs.filter((run) => isOverdue(run, now)).slice(0, MAX_ENDED_AT_ONCE));
  return Promise.all(
    runs.map(async (run) => {
      const there = overdue.has(run) ? await readHead(access, tenant, run.runId) : undefined;
      return there ? { ...(await endIfOverdue(access, there.value)), revision: run.revision } : run;
    }),
  );
}

/** Returns the first runs that fit, at least one. */
function takeWithin(runs: readonly ListedRun[], maxBytes: number): ListedRun[] {
  let bytes = 0;
  const over = runs.findIndex((run) => (bytes += Buffer.byteLength(JSON.stringify(summarizeRun(run)))) > maxBytes);
  return runs.slice(0, over < 0 ? runs.length : Math.max(over, 1));
}

export function summarizeRun(run: Omit<ListedRun, 'revision'>): RunSummary {
  const { runId, status, agent, submittedAt, startedAt, retryOf, subject, threadId, resourceId } = run;
  const formatIso = (ms: number) => new Date(ms).toISOString();
  return {
    runId,
    status,
    agent,
    ...(subject !== undefined && { subject }),
    ...(threadId !== undefined && { threadId }),
    ...(resourceId !== undefined && { resourceId }),
    submittedAt: formatIso(submittedAt),
    ...(startedAt !== undefined && { startedAt: formatIso(startedAt) }),
    ...(retryOf !== undefined && { retryOf }),
  };
}

function createThreadWithoutRunsError(threadId: string): MillraceError {
  return new MillraceError('run-unknown', `There is no run of the thread "${threadId}".`, {
    path: 'threadId',
    remedy: 'Final states are kept for 24 hours. `messages-list` reads the messages of older runs.',
  });
}
