// Opens the output stream's sessions: one for each list of adjacent processors that one replica serves.
import {
  createFailure,
  makeCallHeaders,
  mayChange,
  narrowInput,
  sessionOpenedSchema,
  type Chunk,
  type PlanEntry,
  type SessionOpened,
  type StageInput,
  listEntries,
  splitSegments,
} from '@millrace/contracts';
import { request } from '@millrace/bus';
import { askWithPolicy, type CallAnswer, type CallOutcome, type CallTarget } from '../calls/ask-with-policy.ts';
import { callHead, mergeAdjacent, listReads } from '../calls/call-request.ts';
import { failGroup, giveUp } from '../calls/call-processors.ts';
import type { Run } from '../state/run-context.ts';
import { classifyUnaccepted } from '../calls/unaccepted-request.ts';
import { connectSession, type OpenedSession, type SessionConnection } from './session-client.ts';
import { watchCall } from '../calls/watch-call.ts';

export type OpenSession = { connection: SessionConnection; opened: OpenedSession };

/**
 * Opens all lists concurrently. Returns the outcomes in the order of the entries; fewer if the run is stopped.
 * @param lostReplica a lost replica: if another one answers, that one is asked
 */
export async function openSessions(
  run: Run,
  entries: readonly PlanEntry[],
  input: StageInput,
  lostReplica?: string,
): Promise<CallOutcome<OpenSession>[]> {
  const openGroup = async (group: PlanEntry[], to: CallTarget) => {
    const replica = to.replica ?? (await chooseReplacement(run, group, lostReplica));
    return openSession(run, group, { ...to, replica }, input);
  };
  const parts = separateObservers(run, entries);
  // The output of each entry passes the orchestrator if its changes are recorded.
  const groups = run.changes
    ? parts.flat().map((entry) => [entry])
    : parts.flatMap((part) => mergeAdjacent(part, run.deps.discovery)).flatMap(separateSkippable);
  return (
    await Promise.all(
      groups.map((group) => Array.fromAsync(askWithPolicy(run, group, openGroup, { stage: 'processOutputStream' }))),
    )
  ).flat();
}

/** An entry that may be skipped has a session of its own, so that the others continue if it breaks off. */
function separateSkippable(group: PlanEntry[]): PlanEntry[][] {
  const groups: PlanEntry[][] = [];
  for (const entry of group) {
    const last = groups.at(-1);
    const joins = last?.every(({ onFailure }) => onFailure === 'fail') && entry.onFailure === 'fail';
    if (last && joins) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/**
 * The queue group may choose a stopped replica that does not answer. A replica is looked for only if the lost one is
 * known.
 */
async function chooseReplacement(
  run: Run,
  [first]: PlanEntry[],
  lost: string | undefined,
): Promise<string | undefined> {
  if (!first || lost === undefined) return undefined;
  const { discovery } = run.deps;
  return discovery.isReplica(first, lost) ? discovery.findAnsweringReplica(first, run.signal, lost) : undefined;
}

/** @param isObserver the output is ignored */
export async function openSession(
  run: Run,
  group: PlanEntry[],
  to: CallTarget,
  input: StageInput,
  { isObserver = false } = {},
): Promise<CallAnswer<OpenSession>> {
  const { access, sessions } = run.deps;
  const timeoutMs = group.reduce((sum, entry) => sum + entry.timeoutMs, 0);
  const connection = connectSession({
    bus: access.bus,
    inbox: sessions,
    runId: run.ref.runId,
    timeoutMs,
    isObserver,
    mayChange: group.map(({ changes }) => mayChange(changes, 'processOutputStream')),
  });
  const asked = await askReplica(run, group, to, { input, session: connection.session });
  if (!asked.answer) {
    connection.client.drop();
    return { ...asked, answer: undefined };
  }
  // Both ends show that they live from here on, while the step's other sessions are still being opened.
  connection.handleOpened(asked.answer);
  return { ...asked, answer: { connection, opened: asked.answer } };
}

export type SessionOpening = {
  input: StageInput;
  session: string;
  /** All chunks, if they are sent in one piece: the reply is then the answer. */
  batch?: readonly Chunk[];
};

/** Sends one open request, with a session or a batch. */
export async function askReplica(
  run: Run,
  group: PlanEntry[],
  to: CallTarget,
  { input, session, batch }: SessionOpening,
): Promise<CallAnswer<OpenedSession>> {
  const { bus } = run.deps.access;
  const stage = 'processOutputStream' as const;
  // A session has no other attempt that its failing entry could wait for: the text that it holds is lost with it.
  const head = callHead(run, stage, group, { isLast: batch === undefined || to.lastTry });
  const [first] = group;
  if (!first) throw new Error('no processor to call');
  const watch = watchCall(run, group, to.lastTry, to.replica);
  const connections = bus.countConnections();
  const answer = await request<SessionOpened>(bus, {
    subject: bus.subjects.stage(stage, first, to.replica),
    headers: makeCallHeaders(group),
    payload: {
      ...head,
      stage,
      session,
      orchestrator: bus.id,
      input: narrowInput(input, listReads(stage, group)),
      ...(batch ? { chunks: batch, end: true } : { same: true }),
    },
    reply: sessionOpenedSchema,
    timeoutMs: head.timeoutMs,
    onAsked: watch.onAsked,
  });
  watch.stop();
  if ('error' in answer) {
    const error = watch.readFailure() ?? answer.error;
    const missed = await classifyUnaccepted(run, answer.error, { connections, isSilent: watch.isSilent() });
    if (!missed) giveUp(run, group, stage, head.callId, error);
    return { ...failGroup(group, error), hasNoReplica: error.code === 'nobody-there', unanswered: true, ...missed };
  }
  if (answer.ok.opened) {
    const served = Math.min(answer.ok.served, group.length);
    return { answer: { ...answer.ok, served }, served, replica: answer.ok.replica };
  }
  const [refused] = answer.ok.verdicts;
  const isFailure = refused?.type === 'failure';
  const verdict = isFailure
    ? { ...createFailure(refused.code, refused.message), retryable: refused.retryable }
    : createFailure(
        'processor-verdict-refused',
        `A session is refused with a failure, not with ${refused?.type ?? 'no verdict'}.`,
      );
  const missed = isFailure ? await classifyUnaccepted(run, verdict, { connections, isSilent: false }) : undefined;
  return { served: 0, failure: { verdict, of: 'member' }, ...missed };
}

/** Splits the sessions of a step at its observers. */
const stage = 'processOutputStream';

/** Splits the entries at observers: the output of the first part is observed before it enters the next one. */
function separateObservers(run: Run, entries: readonly PlanEntry[]): PlanEntry[][] {
  const wanted = new Set(entries.map(({ entry }) => entry));
  return splitSegments(run.plan, stage, listEntries(run.plan, stage)).flatMap((segment) => {
    const own = segment.observes ? [] : segment.entries.filter(({ entry }) => wanted.has(entry));
    return own.length === 0 ? [] : [own];
  });
}
