// Claims a suspended run that has an answer: the orchestrator that receives the command becomes the owner, in a new
// epoch, with the remaining time of the run. A redelivery of the command is a takeover, as of any run.
import { MillraceError, isRetryable, type Command, type RunHead } from '@millrace/contracts';
import { createConflictError, type Delivery, type JetStreamAccess } from '@millrace/bus';
import { isAtRest, locateHead, openNextEpoch } from '../head/run-head.ts';
import { openRunStore } from '../state/run-store.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';
import { readStoredAnswers } from '../state/suspension-store.ts';
import { endInEpoch, type EpochRequest } from './end-in-epoch.ts';
import { deferIfNewer } from './defer-to-newer.ts';
import { answerAtRest, load, takeOver, type ClaimedRun } from './claim-run.ts';

export type ResumeCommand = Extract<Command, { command: 'resume' }>;

/**
 * Number of times that another writer (an expiry, a cancellation) may move the head between reading and writing it
 * here.
 */
const TAKE_ATTEMPTS = 5;

/** Returns undefined if the command is answered or belongs to another owner. */
export async function claimSuspended(asked: EpochRequest<ResumeCommand>): Promise<ClaimedRun | undefined> {
  const { deps, delivery } = asked;
  const { access } = deps;
  const { tenant, runId } = delivery.command.request;
  for (let attempt = 1; attempt <= TAKE_ATTEMPTS; attempt += 1) {
    const there = await retryThroughOutages(`the state of ${tenant}.${runId}`, () => locateHead(access, tenant, runId));
    if ('error' in there && deferIfNewer(asked, there.error)) return undefined;
    if (!('value' in there)) {
      deps.log.warn({ tenant, runId }, 'resume command for an unknown run, dropped');
      return answer(delivery);
    }
    const { value: head, revision } = there;
    if (head.status === 'running' && head.command === delivery.sequence) return takeOver(asked, head, revision);
    if (isAtRest(head) && head.command === delivery.sequence) {
      await answerAtRest(deps, head);
      return answer(delivery);
    }
    // The run is active and reads the answer itself, or it has ended.
    if (head.status !== 'suspended') return answer(delivery);
    if (await isLate(access, head, delivery.command)) {
      deps.log.debug({ tenant, runId }, 'resume command without an answer, dropped');
      return answer(delivery);
    }
    const next = makeResumedHead(head, access, delivery.sequence);
    const loaded = await load(asked, head);
    if ('newer' in loaded) return undefined;
    if ('unreadable' in loaded) return endInEpoch(asked, next, revision, { error: loaded.unreadable });
    const store = await openRunStore(access, next, revision);
    if (store) return { store, state: loaded.state };
  }
  throw createConflictError(`${tenant}.${runId}`);
}

/**
 * Returns true if the command is late: another command has resumed the run with the answers, and the run has asked further questions. If the
 * orchestrator resumed the run again, it would publish a further `suspended` chunk, and a caller that has answered in between would read that
 * chunk as the end of the run. Every answer is stored before its command is published. A held answer counts, because the last answer of its
 * caller may have been used before the run was suspended. Returns false if the questions have expired: the command may be that of the
 * expiry, which leaves no timer. Returns false for a command of an earlier version: another answer may have the same command there.
 */
async function isLate(access: JetStreamAccess, head: RunHead, { answerRevision }: ResumeCommand): Promise<boolean> {
  const { tenant, runId, suspension } = head;
  if (answerRevision === undefined || !suspension || suspension.expiresAt <= access.clock.now()) return false;
  try {
    const readAnswers = () => readStoredAnswers(access, head);
    const answers = await retryThroughOutages(`the answers of ${tenant}.${runId}`, readAnswers);
    return answers?.length === 0;
  } catch (error) {
    // The next owner reads the invalid entry again, and fails the run.
    if (MillraceError.isInstance(error) && !isRetryable(error.code)) return false;
    throw error;
  }
}

async function answer(delivery: Delivery): Promise<undefined> {
  await delivery.acknowledge();
  return undefined;
}

/** The time of the suspension does not count. */
function makeResumedHead(head: RunHead, { bus, clock }: JetStreamAccess, command: number): RunHead {
  const { suspension, ...next } = openNextEpoch(head, bus.id);
  return { ...next, status: 'running', command, deadlineAt: clock.now() + (suspension?.remainingMs ?? 0) };
}
