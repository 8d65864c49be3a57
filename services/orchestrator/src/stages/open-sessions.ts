// Opens the output stream's sessions: one for each list of adjacent processors of one service. Policy at the open: tried again
// on another replica, then skipped or failed. A replica may serve the head of the list only; the rest is opened for itself.
import {
  sessionOpenedSchema,
  type Chunk,
  type PlanEntry,
  type StageInput,
  type Verdict,
  type VerdictOf,
} from '@millrace/contracts';
import { publish, request } from '@millrace/bus';
import { callHead } from './call-head.ts';
import { mergeAdjacent } from './merge-adjacent.ts';
import { narrowInput } from './narrow-input.ts';
import { failureOf } from './call-processors.ts';
import type { Run } from '../state/run-context.ts';
import { connectSession, type OpenedSession, type SessionConnection } from './session-client.ts';

export type Opened = { entries: PlanEntry[]; attempts: number; connection: SessionConnection; opened: OpenedSession };
type Unopened = { entry: PlanEntry; attempts: number; failure: VerdictOf<'failure'>; replica?: string | undefined };
export type Opening = Opened | Unopened;

export type OpenRequest = {
  input: StageInput;
  /** The whole stream, when it comes in one piece: the reply is then the answer. */
  whole?: readonly Chunk[];
};

/** In the order of the entries. All lists are opened at once. */
export async function openSessions(run: Run, entries: PlanEntry[], ask: OpenRequest): Promise<Opening[]> {
  const groups = mergeAdjacent(entries, run.deps.discovery);
  return (await Promise.all(groups.map((group) => openGroup(run, group, ask)))).flat();
}

/** The group, or the head of it that a replica serves, or the first entry for itself. */
export async function openHead(run: Run, group: PlanEntry[], ask: OpenRequest): Promise<Opening> {
  const [first] = group;
  if (!first) throw new Error('a session was opened for no processor');
  const merged = group.length > 1 ? await openOnce(run, group, ask) : undefined;
  if (merged && 'opened' in merged) return merged;
  // Without an answer its members are asked one by one, so that policy falls on one.
  return openWithPolicy(run, first, ask);
}

async function openGroup(run: Run, group: PlanEntry[], ask: OpenRequest): Promise<Opening[]> {
  const head = await openHead(run, group, ask);
  const rest = group.slice('opened' in head ? head.entries.length : 1);
  if (rest.length === 0) return [head];
  const isHeadOfReplica = 'opened' in head && head.entries.length > 1;
  if (isHeadOfReplica) return [head, ...(await openGroup(run, rest, ask))];
  return [head, ...(await Promise.all(rest.map((entry) => openWithPolicy(run, entry, ask))))];
}

async function openWithPolicy(run: Run, entry: PlanEntry, ask: OpenRequest): Promise<Opening> {
  let replica: string | undefined;
  for (let attempts = 1; ; attempts++) {
    const opening = { ...(await openOnce(run, [entry], ask, replica)), attempts };
    const again = 'failure' in opening && opening.failure.retryable && attempts < entry.attempts && !run.signal.aborted;
    const failed = 'failure' in opening ? opening.replica : undefined;
    if (again) replica = await run.deps.discovery.replicaThatAnswers(entry.processor, run.signal, failed);
    if (!again || replica === undefined) return opening;
  }
}

async function openOnce(run: Run, group: PlanEntry[], ask: OpenRequest, replica?: string): Promise<Opening> {
  const { access, sessions: inbox } = run.deps;
  const { bus } = access;
  const [entry] = group;
  if (!entry) throw new Error('a session was opened for no processor');
  const head = callHead(run, group);
  const connection = connectSession({ bus, inbox, runId: run.ref.runId, timeoutMs: head.timeoutMs });
  const { session } = connection;
  const input = narrowInput(ask.input, group);
  const answer = await request(bus, {
    subject: bus.subjects.stage('processOutputStream', entry.processor, replica),
    payload: {
      ...head,
      stage: 'processOutputStream',
      session,
      orchestrator: bus.id,
      input,
      ...(ask.whole && { chunks: ask.whole, end: true }),
    },
    reply: sessionOpenedSchema,
    timeoutMs: head.timeoutMs,
    signal: run.signal,
  });
  const opened = 'ok' in answer && answer.ok.opened ? answer.ok : undefined;
  if (!opened || ask.whole) connection.client.drop();
  if (opened) {
    if (!ask.whole) connection.opened(opened);
    const broken = ask.whole && group.length === 1 ? failureIn(opened.output?.verdicts) : undefined;
    if (broken) return { entry, attempts: 1, failure: broken, replica: opened.replica };
    return { entries: group.slice(0, opened.served), attempts: 1, connection, opened };
  }
  if ('error' in answer) {
    const { code } = answer.error;
    if (code === 'timeout' || code === 'cancelled')
      publish(bus, bus.subjects.cancelCalls(entry.service), { callIds: [head.callId] });
    return { entry, attempts: 1, failure: failureOf(entry, answer.error), replica };
  }
  const refused = answer.ok.opened ? undefined : failureIn(answer.ok.verdicts);
  const unsaid = failureOf(entry, { code: 'processor-failed', message: 'The session was refused.' });
  return { entry, attempts: 1, failure: refused ?? unsaid, replica };
}

function failureIn(verdicts: readonly Verdict[] | undefined): VerdictOf<'failure'> | undefined {
  const [first] = verdicts ?? [];
  return first?.type === 'failure' ? first : undefined;
}
