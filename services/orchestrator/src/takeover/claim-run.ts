// Claims a run when its command is delivered: starts a queued run, repeats the last chunk of an ended one, takes over
// one with a lost owner, with the state of its last checkpoint. A run that cannot continue ends in an epoch of its
// own.
import {
  isFinal,
  stateKeys,
  type ErrorCode,
  type RunHead,
  type RunState,
  type StartCommand,
  type WireError,
} from '@millrace/contracts';
import { MillraceError, readOwner } from '@millrace/contracts';
import { createConflictError, decode, locateEntry, publish, type Delivery, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { findOwnerFate } from './ask-owner.ts';
import { endInEpoch, type EpochRequest } from './end-in-epoch.ts';
import { deferIfNewer } from './defer-to-newer.ts';
import { completeSuspension } from './after-suspension.ts';
import { loadRun } from '../state/load-run.ts';
import { deleteRunState } from '../state/delete-run-state.ts';
import {
  createQueuedHead,
  getLastIndex,
  hasProgress,
  isAtRest,
  locateHead,
  openNextEpoch,
  readEnd,
} from '../head/run-head.ts';
import type { Deps } from '../state/run-context.ts';
import { openRunStore, type RunStore } from '../state/run-store.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';

/** A run that this orchestrator drives. */
export type ClaimedRun = {
  store: RunStore;
  /** State of the last checkpoint; absent if the run has none and begins with its command. */
  state?: RunState | undefined;
  command?: StartCommand;
  /** The previous owner was lost. */
  isRecovered?: boolean;
  /** No writer has touched the head since the run was queued: a later cancel notifies this owner. */
  isNew?: boolean;
};

/**
 * Number of times that another writer (a submission, a cancellation) may move the head between reading and writing it
 * here.
 */
const TAKE_ATTEMPTS = 5;
/** Maximum number of lost owners of a run. If the next one is lost too, the run itself may be the cause. */
export const MAX_TAKEOVERS = 5;
/** Number of owners lost in succession without a checkpoint after which the run itself counts as the cause. */
export const MAX_REPEATED_LOSSES = 3;

/**
 * Returns undefined if the command is answered or belongs to another owner. @throws the reason for which the state
 * cannot be read: the command is redelivered
 */
export async function claimRun(asked: EpochRequest<StartCommand>): Promise<ClaimedRun | undefined> {
  const { deps, delivery } = asked;
  const { access } = deps;
  const { command } = delivery;
  const { tenant, runId } = command.request;
  const { headRevision } = command;
  if (headRevision !== undefined) {
    // In most cases the head is unchanged since the submission.
    const store = await openRunStore(access, makeFirstHead(access, delivery), headRevision);
    if (store) return { store, command, isNew: true };
  }
  for (let attempt = 1; attempt <= TAKE_ATTEMPTS; attempt += 1) {
    const there = await retryThroughOutages(`the state of ${tenant}.${runId}`, () => locateHead(access, tenant, runId));
    if ('error' in there) {
      if (!deferIfNewer(asked, there.error)) await endUnreadable(asked, there);
      return undefined;
    }
    if ('value' in there && isTaken(there.value, delivery)) {
      if (isAnswered(there.value, delivery)) {
        await answer(asked, there.value);
        return undefined;
      }
      // Another orchestrator began the run between two attempts and owns it.
      const taken = attempt === 1 ? await takeOver(asked, there.value, there.revision) : undefined;
      return taken && { ...taken, command };
    }
    const store = await openRunStore(access, makeFirstHead(access, delivery), there.revision);
    if (store) return { store, command };
  }
  throw createConflictError(`${tenant}.${runId}`);
}

/** Returns whether the run has begun, or whether another request has its id. */
function isTaken({ status, requestHash }: RunHead, { command }: Delivery<StartCommand>): boolean {
  return status !== 'queued' || requestHash !== command.requestHash;
}

/** Returns whether no run has to be driven for this command. */
function isAnswered(head: RunHead, { command, sequence }: Delivery<StartCommand>): boolean {
  return isAtRest(head) || head.requestHash !== command.requestHash || head.command !== sequence;
}

/** Returns the head as its owner writes it when the run begins. */
function makeFirstHead({ bus, clock }: JetStreamAccess, { command, sequence }: Delivery<StartCommand>): RunHead {
  return { ...createQueuedHead(command, bus.id), status: 'running', command: sequence, startedAt: clock.now() };
}

async function answer({ deps, delivery }: EpochRequest<StartCommand>, head: RunHead): Promise<void> {
  const { command, requestHash } = head;
  // A run that was cancelled in the queue has no command of its own yet.
  const isOwn = requestHash === delivery.command.requestHash && (command === 0 || command === delivery.sequence);
  if (isOwn && isAtRest(head)) await answerAtRest(deps, head);
  return delivery.acknowledge();
}

/**
 * Completes the steps that the owner of a run at rest may have left undone: publishes its last chunk, then completes
 * the ending or the suspension.
 */
export async function answerAtRest({ access }: Deps, head: RunHead): Promise<void> {
  const { bus } = access;
  const { tenant, runId, epoch, status } = head;
  const end = await readEnd(access, head);
  if (end)
    publish(bus, bus.subjects.chunks(tenant, readOwner(head), runId), {
      epoch,
      index: getLastIndex(head),
      chunks: [end.lastChunk],
    });
  if (isFinal(status)) await deleteRunState(access, head);
  else await completeSuspension(access, head);
}

/**
 * Returns undefined if another orchestrator was faster, or if the run has ended, or if its owner drives it: the owner extends and
 * acknowledges the command.
 */
export async function takeOver(asked: EpochRequest, head: RunHead, revision: number): Promise<ClaimedRun | undefined> {
  const { deps, delivery, stop } = asked;
  const { access, log } = deps;
  const { tenant, runId, owner } = head;
  const fate = await findOwnerFate(access.bus, head, stop);
  if (fate === 'drives') log.info({ tenant, runId, owner }, 'command delivered again: its run is left to its owner');
  // A fenced process must not send a NAK: it would take the command from its next owner.
  if (fate === 'stopped' && !stop.fenced.aborted) delivery.handOver();
  if (fate === 'drives' || fate === 'stopped') return undefined;
  const isLost = !head.handedOver;
  const next = countLoss(openNextEpoch(head, access.bus.id), head, fate);
  const loaded = await load(asked, head);
  if ('newer' in loaded) return undefined;
  if ('unreadable' in loaded) return endInEpoch(asked, next, revision, { error: loaded.unreadable });
  const { state } = loaded;
  if (next.takeovers > MAX_TAKEOVERS || (next.repeatedLosses ?? 0) >= MAX_REPEATED_LOSSES)
    return endInEpoch(asked, next, revision, { error: createGivenUpError(next), state });
  const store = await openRunStore(access, next, revision);
  return store && { store, state, isRecovered: isLost };
}

/**
 * A hand-over counts as no loss. An owner that released the run, for example because its server was stopped for too long, counts among the
 * takeovers alone: its process runs, so the run has not ended it.
 */
function countLoss(next: RunHead, head: RunHead, fate: 'released' | 'lost'): RunHead {
  if (head.handedOver) return next;
  const takeovers = head.takeovers + 1;
  if (fate === 'released' || hasProgress(head)) return { ...next, takeovers };
  return { ...next, takeovers, repeatedLosses: (head.repeatedLosses ?? 0) + 1 };
}

/** `newer`: the command was requeued. */
type LoadedRun = { state?: RunState | undefined } | { unreadable: WireError } | { newer: true };

export async function load(asked: EpochRequest, head: RunHead): Promise<LoadedRun> {
  const { deps } = asked;
  try {
    return { state: await loadRun(deps.access, head) };
  } catch (error) {
    if (deferIfNewer(asked, error)) return { newer: true };
    if (!MillraceError.isInstance(error) || !UNREADABLE.has(error.code)) throw error;
    const { tenant, runId } = head;
    deps.log.error({ tenant, runId, error: error.message }, 'run state unreadable: ending the run');
    return { unreadable };
  }
}

const UNREADABLE: ReadonlySet<string> = new Set<ErrorCode>(['run-state-unreadable', 'stored-by-newer']);

/** The members of an invalid head that still count: the position at which the next owner's chunks begin. */
const remainsSchema = z.object({
  epoch: z.number().int().min(1).catch(1),
  nextIndex: z.number().int().min(0).catch(0),
});

/** Ends a run with an unreadable head. Otherwise its command would be redelivered for ever. */
async function endUnreadable(
  asked: EpochRequest<StartCommand>,
  { error, revision }: { error: Error; revision: number },
): Promise<void> {
  const { deps, delivery } = asked;
  const { access } = deps;
  const { tenant, runId } = delivery.command.request;
  deps.log.error({ tenant, runId, error: error.message }, 'run head invalid: ending the run');
  const key = stateKeys.head(tenant, runId);
  const there = await locateEntry(access, access.bus.names.state, key, remainsSchema, decode);
  const { epoch, nextIndex } = 'value' in there ? there.value : { epoch: 1, nextIndex: 0 };
  const head = { ...makeFirstHead(access, delivery), epoch, nextIndex };
  await endInEpoch(asked, openNextEpoch(head, access.bus.id), revision, { error: unreadable });
}

function createGivenUpError({ takeovers, repeatedLosses = 0 }: RunHead): WireError {
  const progress = repeatedLosses < MAX_REPEATED_LOSSES ? '' : `, the last ${repeatedLosses} without a checkpoint`;
  return {
    code: 'run-given-up',
    message: `${takeovers} orchestrators were lost while they drove this run${progress}; no other orchestrator takes it over.`,
    remedy: "Read the orchestrators' logs for the cause, then submit the request again under a new run id.",
  };
}
export const unreadable: WireError = {
  code: 'run-state-unreadable',
  message: 'The stored state of this run does not fit this version of the orchestrator.',
  remedy: 'Submit the request again under a new run id, and run one version of the orchestrator.',
};
