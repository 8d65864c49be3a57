// Opens the output stream's sessions: one for each list of adjacent processors that one replica serves.
import {
  failureOf,
  mayChange,
  narrowInput,
  sessionOpenedSchema,
  type Chunk,
  type PlanEntry,
} from '@millrace/contracts';
import type { SessionOpened, StageInput } from '@millrace/contracts';
import { request } from '@millrace/bus';
import { askWithPolicy, type Asked, type Outcome, type Target } from './ask-with-policy.ts';
import { callHead, mergeAdjacent, readsOf } from './call-request.ts';
import { failedOf, giveUp } from './call-processors.ts';
import type { Run } from '../state/run-context.ts';
import { notTaken } from './not-taken.ts';
import { connectSession, type OpenedSession, type SessionConnection } from './session-client.ts';
import { partedByObservers } from './parted-by-observers.ts';
import { watchCall } from './watch-call.ts';

export type Session = { connection: SessionConnection; opened: OpenedSession };

/**
 * In the order of the entries; fewer when the run is stopped meanwhile. All lists are opened at once.
 * @param lostReplica one that was lost: where another one answers, that is asked
 */
export async function openSessions(
  run: Run,
  entries: readonly PlanEntry[],
  input: StageInput,
  lostReplica?: string,
): Promise<Outcome<Session>[]> {
  const open = async (group: PlanEntry[], to: Target) => {
    const replica = to.replica ?? (await insteadOf(run, group, lostReplica));
    return openSession(run, group, { ...to, replica }, input);
  };
  const parts = partedByObservers(run, entries);
  const groups = parts.flatMap((part) => mergeAdjacent(part, run.deps.discovery)).flatMap(skippedAlone);
  return (
    await Promise.all(
      groups.map((group) => Array.fromAsync(askWithPolicy(run, group, open, { stage: 'processOutputStream' }))),
    )
  ).flat();
}

/** One that may be skipped has a session of its own: the others' go on when it breaks off. */
function skippedAlone(group: PlanEntry[]): PlanEntry[][] {
  const groups: PlanEntry[][] = [];
  for (const entry of group) {
    const last = groups.at(-1);
    const joins = last?.every(({ onFailure }) => onFailure === 'fail') && entry.onFailure === 'fail';
    if (last && joins) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** The queue group may choose a replica that is stopped and does not answer; nobody else's replica is looked for. */
async function insteadOf(run: Run, [first]: PlanEntry[], lost: string | undefined): Promise<string | undefined> {
  if (!first || lost === undefined) return undefined;
  const { discovery } = run.deps;
  const isKnown = discovery.processors().get(first.processor)?.replicas.includes(lost) ?? false;
  return isKnown ? discovery.replicaThatAnswers(first.processor, run.signal, lost) : undefined;
}

/** @param isObserver nothing that comes out of it counts */
export async function openSession(
  run: Run,
  group: PlanEntry[],
  to: Target,
  input: StageInput,
  { isObserver = false } = {},
): Promise<Asked<Session>> {
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
  connection.opened(asked.answer);
  return { ...asked, answer: { connection, opened: asked.answer } };
}

export type OpenRequest = {
  input: StageInput;
  session: string;
  /** All chunks, when they come in one piece: the reply is then the answer. */
  batch?: readonly Chunk[];
};

/** One open request, with a session or a batch. */
export async function askReplica(
  run: Run,
  group: PlanEntry[],
  to: Target,
  { input, session, batch }: OpenRequest,
): Promise<Asked<OpenedSession>> {
  const { bus } = run.deps.access;
  const stage = 'processOutputStream' as const;
  const head = callHead(run, stage, group);
  const watch = watchCall(run, group, to.lastTry, to.replica);
  const connections = bus.connections();
  const answer = await request<SessionOpened>(bus, {
    subject: bus.subjects.stage(stage, group[0]?.processor ?? '', to.replica),
    payload: {
      ...head,
      stage,
      session,
      orchestrator: bus.id,
      input: narrowInput(input, readsOf(stage, group)),
      ...(batch ? { chunks: batch, end: true } : { same: true }),
    },
    reply: sessionOpenedSchema,
    timeoutMs: head.timeoutMs,
    onAsked: watch.onAsked,
  });
  watch.stop();
  if ('error' in answer) {
    const error = watch.reason() ?? answer.error;
    const missed = await notTaken(run, answer.error, { connections, isSilent: watch.isSilent() });
    if (!missed) giveUp(run, group, stage, head.callId, error);
    return { ...failedOf(group, error), nobodyThere: error.code === 'nobody-there', unanswered: true, ...missed };
  }
  if (answer.ok.opened) {
    const served = Math.min(answer.ok.served, group.length);
    return { answer: { ...answer.ok, served }, served, replica: answer.ok.replica };
  }
  const [refused] = answer.ok.verdicts;
  const isFailure = refused?.type === 'failure';
  const verdict = isFailure
    ? { ...failureOf(refused.code, refused.message), retryable: refused.retryable }
    : failureOf(
        'processor-verdict-refused',
        `A session is refused with a failure, not with ${refused?.type ?? 'no verdict'}.`,
      );
  const missed = isFailure ? await notTaken(run, verdict, { connections, isSilent: false }) : undefined;
  return { served: 0, failure: { verdict, of: 'member' }, ...missed };
}
