// A suspended run has an answer: whoever gets the command makes the run its own, in a new epoch, with what was left of its time. The same
// command again is a takeover, as of any run.
import type { Command, RunHead } from '@millrace/contracts';
import { conflictError, type Delivery, type JetStreamAccess } from '@millrace/bus';
import { isAtRest, locateHead, nextEpoch } from '../state/run-head.ts';
import { openRunStore } from '../state/run-store.ts';
import { throughOutages } from '../state/through-outages.ts';
import { endInEpoch, type Asked } from './end-in-epoch.ts';
import { leaveToNewer } from './leave-to-newer.ts';
import { answerAtRest, load, takeOver, type Taken } from './take-run.ts';

export type ResumeCommand = Extract<Command, { command: 'resume' }>;

/** How often somebody else may write the head between reading and writing it here: an expiry, a cancellation. */
const TAKE_ATTEMPTS = 5;

/** undefined: the command is answered, or is somebody else's. */
export async function takeSuspended(asked: Asked<ResumeCommand>): Promise<Taken | undefined> {
  const { deps, delivery } = asked;
  const { access } = deps;
  const { tenant, runId } = delivery.command.request;
  for (let attempt = 1; attempt <= TAKE_ATTEMPTS; attempt += 1) {
    const there = await throughOutages(`the state of ${tenant}.${runId}`, () => locateHead(access, tenant, runId));
    if ('error' in there && leaveToNewer(asked, there.error)) return undefined;
    if (!('value' in there)) {
      deps.log.warn({ tenant, runId }, 'an answer came for a run of which nothing is known any more');
      return answer(delivery);
    }
    const { value: head, revision } = there;
    if (head.status === 'running' && head.command === delivery.sequence) return takeOver(asked, head, revision);
    if (isAtRest(head) && head.command === delivery.sequence) {
      await answerAtRest(deps, head);
      return answer(delivery);
    }
    // It goes on already, and finds the answer itself; or it is over.
    if (head.status !== 'suspended') return answer(delivery);
    const next = resumed(head, access, delivery.sequence);
    const loaded = await load(asked, head);
    if ('newer' in loaded) return undefined;
    if ('unreadable' in loaded) return endInEpoch(asked, next, revision, { error: loaded.unreadable });
    const store = await openRunStore(access, next, revision);
    if (store) return { store, state: loaded.state };
  }
  throw conflictError(`${tenant}.${runId}`);
}

async function answer(delivery: Delivery): Promise<undefined> {
  await delivery.acknowledge();
  return undefined;
}

/** The time for which it was put away does not count. */
function resumed(head: RunHead, { bus, clock }: JetStreamAccess, command: number): RunHead {
  const { suspension, ...next } = nextEpoch(head, bus.id);
  return { ...next, status: 'running', command, deadlineAt: clock.now() + (suspension?.remainingMs ?? 0) };
}
