// Whose a run is when its command comes: one that waits is begun; one that has ended has its last chunk repeated; one that somebody
// drove and lost is taken over, with the state of its last checkpoint. What nobody can go on with ends in an epoch of its own.
import {
  isFinal,
  stateKeys,
  type ErrorCode,
  type RunHead,
  type RunState,
  type StartCommand,
  type WireError,
} from '@millrace/contracts';
import { MillraceError } from '@millrace/contracts';
import { conflictError, decode, locateEntry, publish, type Delivery, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { endInEpoch, type Asked } from './end-in-epoch.ts';
import { leaveToNewer } from './leave-to-newer.ts';
import { afterSuspension } from '../state/after-suspension.ts';
import { loadRun } from '../state/load-run.ts';
import { forgetRun } from '../state/forget-run.ts';
import { isAtRest, lastIndex, locateHead, nextEpoch, queuedHead, readEnd } from '../state/run-head.ts';
import type { Deps } from '../state/run-context.ts';
import { openRunStore, type RunStore } from '../state/run-store.ts';
import { throughOutages } from '../state/through-outages.ts';

/** A run that is driven here. */
export type Taken = {
  store: RunStore;
  /** As its last checkpoint left it; absent where it was never at one, and begins with its command. */
  state?: RunState | undefined;
  command?: StartCommand;
  /** Nobody has touched it since it was queued: who cancels it from here on tells whoever drives it. */
  isNew?: boolean;
};

/** How often somebody else may write the head between reading and writing it here: a submission, a cancellation. */
const TAKE_ATTEMPTS = 5;
/** Owners of a run that may be lost: where the next one is lost too, the run itself may be what ends them. */
export const MAX_TAKEOVERS = 5;

/** undefined: the command is answered, or is somebody else's. @throws what keeps the state from being read: the command comes again */
export async function takeRun(asked: Asked<StartCommand>): Promise<Taken | undefined> {
  const { deps, delivery } = asked;
  const { access } = deps;
  const { command } = delivery;
  const { tenant, runId } = command.request;
  const { headRevision } = command;
  if (headRevision !== undefined) {
    // Nobody has touched it since it was queued, in most cases.
    const store = await openRunStore(access, firstHead(access, delivery), headRevision);
    if (store) return { store, command, isNew: true };
  }
  for (let attempt = 1; attempt <= TAKE_ATTEMPTS; attempt += 1) {
    const there = await throughOutages(`the state of ${tenant}.${runId}`, () => locateHead(access, tenant, runId));
    if ('error' in there) {
      if (!leaveToNewer(asked, there.error)) await endUnreadable(asked, there);
      return undefined;
    }
    if ('value' in there && isTaken(there.value, delivery)) {
      if (isAnswered(there.value, delivery)) {
        await answer(asked, there.value);
        return undefined;
      }
      // Somebody began it between two tries here: it is theirs.
      const taken = attempt === 1 ? await takeOver(asked, there.value, there.revision) : undefined;
      return taken && { ...taken, command };
    }
    const store = await openRunStore(access, firstHead(access, delivery), there.revision);
    if (store) return { store, command };
  }
  throw conflictError(`${tenant}.${runId}`);
}

/** It has begun, or another request stands under its id. */
function isTaken({ status, requestHash }: RunHead, { command }: Delivery<StartCommand>): boolean {
  return status !== 'queued' || requestHash !== command.requestHash;
}

/** Nobody need drive a run for this command. */
function isAnswered(head: RunHead, { command, sequence }: Delivery<StartCommand>): boolean {
  return isAtRest(head) || head.requestHash !== command.requestHash || head.command !== sequence;
}

/** As its owner writes it when the run begins. */
function firstHead({ bus, clock }: JetStreamAccess, { command, sequence }: Delivery<StartCommand>): RunHead {
  return { ...queuedHead(command, bus.id), status: 'running', command: sequence, startedAt: clock.now() };
}

async function answer({ deps, delivery }: Asked<StartCommand>, head: RunHead): Promise<void> {
  const { command, requestHash } = head;
  // A run that was cancelled while it waited has no command of its own yet.
  const isOwn = requestHash === delivery.command.requestHash && (command === 0 || command === delivery.sequence);
  if (isOwn && isAtRest(head)) await answerAtRest(deps, head);
  return delivery.acknowledge();
}

/** What the owner of a run at rest may have left undone when it was lost: its last chunk, and what comes after that. */
export async function answerAtRest({ access }: Deps, head: RunHead): Promise<void> {
  const { bus } = access;
  const { tenant, runId, epoch, status } = head;
  const end = await readEnd(access, head);
  if (end) publish(bus, bus.subjects.chunks(tenant, runId), { epoch, index: lastIndex(head), chunks: [end.lastChunk] });
  if (isFinal(status)) await forgetRun(access, head);
  else await afterSuspension(access, head);
}

/** undefined: somebody else was faster, or the run is over. */
export async function takeOver(asked: Asked, head: RunHead, revision: number): Promise<Taken | undefined> {
  const { access } = asked.deps;
  const isLost = !head.handedOver;
  const next = { ...nextEpoch(head, access.bus.id), takeovers: head.takeovers + (isLost ? 1 : 0) };
  const loaded = await load(asked, head);
  if ('newer' in loaded) return undefined;
  if ('unreadable' in loaded) return endInEpoch(asked, next, revision, { error: loaded.unreadable });
  const { state } = loaded;
  if (next.takeovers > MAX_TAKEOVERS) return endInEpoch(asked, next, revision, { error: givenUp(head), state });
  const store = await openRunStore(access, next, revision);
  return store && { store, state };
}

/** `newer`: the command was handed back. */
type Loaded = { state?: RunState | undefined } | { unreadable: WireError } | { newer: true };

export async function load(asked: Asked, head: RunHead): Promise<Loaded> {
  const { deps } = asked;
  try {
    return { state: await loadRun(deps.access, head) };
  } catch (error) {
    if (leaveToNewer(asked, error)) return { newer: true };
    if (!MillraceError.isInstance(error) || !UNREADABLE.has(error.code)) throw error;
    const { tenant, runId } = head;
    deps.log.error({ tenant, runId, error: error.message }, 'the state of a run cannot be read: the run is ended');
    return { unreadable };
  }
}

const UNREADABLE: ReadonlySet<string> = new Set<ErrorCode>(['run-state-unreadable', 'stored-by-newer']);

/** What counts of a head that does not fit: where the next owner's chunks must stand. */
const remainsSchema = z.object({
  epoch: z.number().int().min(1).catch(1),
  nextIndex: z.number().int().min(0).catch(0),
});

/** Left as it is, its command would come again for ever. */
async function endUnreadable(
  asked: Asked<StartCommand>,
  { error, revision }: { error: Error; revision: number },
): Promise<void> {
  const { deps, delivery } = asked;
  const { access } = deps;
  const { tenant, runId } = delivery.command.request;
  deps.log.error({ tenant, runId, error: error.message }, 'the head of a run does not fit: the run is ended');
  const key = stateKeys.head(tenant, runId);
  const there = await locateEntry(access, access.bus.names.state, key, remainsSchema, decode);
  const { epoch, nextIndex } = 'value' in there ? there.value : { epoch: 1, nextIndex: 0 };
  const head = { ...firstHead(access, delivery), epoch, nextIndex };
  await endInEpoch(asked, nextEpoch(head, access.bus.id), revision, { error: unreadable });
}

function givenUp({ takeovers }: RunHead): WireError {
  return {
    code: 'run-given-up',
    message: `${takeovers + 1} orchestrators were lost while they drove this run: it is not given to another one.`,
    remedy: 'Look into their logs for what ended them, then submit the request again under a new run id.',
  };
}
export const unreadable: WireError = {
  code: 'run-state-unreadable',
  message: 'What is stored of this run does not fit this version of the orchestrator.',
  remedy: 'Submit the request again under a new run id; run one version of the orchestrator.',
};
