// Opens the output stream's sessions: one for each list of adjacent processors of one service. Policy at the open: tried again
// on another replica, then skipped or failed. A replica may serve the head of the list only; the rest is opened for itself.
import { sessionOpenedSchema, type Chunk, type PlanEntry, type StageInput, type VerdictOf } from '@millrace/contracts';
import { publish, request } from '@millrace/bus';
import { callHead } from '../run/call-head.ts';
import { mergeNeighbours } from '../run/merge-neighbours.ts';
import { narrowInput } from '../run/narrow-input.ts';
import { failureOf } from '../run/processor-client.ts';
import type { Run } from '../run/run.ts';
import { connectSession, type OpenedSession, type SessionConnection } from './session-client.ts';

export type Opened = { entries: PlanEntry[]; attempts: number; connection: SessionConnection; opened: OpenedSession };
type Unopened = { entry: PlanEntry; attempts: number; failure: VerdictOf<'failure'> };
export type Opening = Opened | Unopened;

export type OpenRequest = {
  input: StageInput;
  /** The whole stream, when it comes in one piece: the reply is then the answer. */
  whole?: readonly Chunk[];
};

/** In the order of the entries. All lists are opened at once. */
export async function openSessions(run: Run, entries: PlanEntry[], ask: OpenRequest): Promise<Opening[]> {
  const groups = mergeNeighbours(entries, run.deps.discovery);
  return (await Promise.all(groups.map((group) => openGroup(run, group, ask)))).flat();
}

/** At least the first entry of the group is answered for. */
export async function openHead(run: Run, group: PlanEntry[], ask: OpenRequest): Promise<Opening[]> {
  const [first] = group;
  if (!first) return [];
  if (group.length > 1) {
    const merged = await openOnce(run, group, ask);
    if ('opened' in merged) return [merged];
  }
  // Without an answer its members are asked one by one, so that policy falls on one.
  return [await openWithPolicy(run, first, ask)];
}

async function openGroup(run: Run, group: PlanEntry[], ask: OpenRequest): Promise<Opening[]> {
  const head = await openHead(run, group, ask);
  const count = head.reduce((sum, opening) => sum + ('opened' in opening ? opening.entries.length : 1), 0);
  return count < group.length ? [...head, ...(await openGroup(run, group.slice(count), ask))] : head;
}

async function openWithPolicy(run: Run, entry: PlanEntry, ask: OpenRequest): Promise<Opening> {
  let replica: string | undefined;
  for (let attempts = 1; ; attempts++) {
    const opening = { ...(await openOnce(run, [entry], ask, replica)), attempts };
    const again = 'failure' in opening && opening.failure.retryable && attempts < entry.attempts && !run.signal.aborted;
    if (again) replica = await run.deps.discovery.replicaThatAnswers(entry.processor, run.signal);
    if (!again || replica === undefined) return opening;
  }
}

async function openOnce(run: Run, group: PlanEntry[], ask: OpenRequest, replica?: string): Promise<Opening> {
  const { access, sessions: inbox } = run.deps;
  const { bus } = access;
  const [entry] = group;
  if (!entry) throw new Error('a session was opened for no processor');
  const head = callHead(run, group);
  const connection = connectSession({ bus, inbox, timeoutMs: head.timeoutMs });
  const { session, out } = connection;
  const input = narrowInput(ask.input, group);
  const answer = await request(bus, {
    subject: bus.subjects.stage('processOutputStream', entry.processor, replica),
    payload: {
      ...head,
      stage: 'processOutputStream',
      session,
      out,
      input,
      ...(ask.whole && { chunks: ask.whole, end: true }),
    },
    reply: sessionOpenedSchema,
    timeoutMs: head.timeoutMs,
    signal: run.signal,
  });
  if ('ok' in answer && answer.ok.opened) {
    if (ask.whole) connection.client.drop();
    return { entries: group.slice(0, answer.ok.entries), attempts: 1, connection, opened: answer.ok };
  }
  connection.client.drop();
  if ('error' in answer) {
    const { code } = answer.error;
    if (code === 'timeout' || code === 'cancelled')
      publish(bus, bus.subjects.cancelCalls(entry.service), { callIds: [head.callId] });
    return { entry, attempts: 1, failure: failureOf(entry, answer.error) };
  }
  const verdict = answer.ok.opened ? undefined : answer.ok.verdicts[0];
  if (verdict?.type === 'failure') return { entry, attempts: 1, failure: verdict };
  return {
    entry,
    attempts: 1,
    failure: failureOf(entry, { code: 'processor-failed', message: 'The session was refused.' }),
  };
}
