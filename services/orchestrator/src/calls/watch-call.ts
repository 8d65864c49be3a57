// Watches a request in progress: a lost replica is detected within about a second, and a hanging member of a merged
// call does not delay the others. If the replica reports its progress (our runtime does), each member is held to its
// own time. If not, the group has the time of its slowest member, and the failing member is unknown.
import type { ErrorCode, PlanEntry } from '@millrace/contracts';
import type { Deps, Run } from '../state/run-context.ts';
import {
  CHECK_AFTER_MS,
  needsReplica,
  readCheckDelay,
  reduceCallWatch,
  startCallWatch,
  type CallWatchEvent,
  type Presence,
  type Progress,
} from './call-watch.ts';

export type CallWatch = {
  /** Receives the function that ends the request: the watch or the run's stop calls it. */
  onAsked(giveUp: () => void): void;
  receive(progress: Progress): void;
  /** Returns the reason for which the watch ended the request. */
  readFailure(): { code: ErrorCode; message: string } | undefined;
  /** Returns the verdicts that the replica has reported, if it reports any. */
  readLastJudged(): Progress['judged'];
  readReplica(): string | undefined;
  /** Ends the request: its answer is not needed any more. */
  giveUp(): void;
  /** Returns whether the request was ended because its replica runs but does not answer, while another one does. */
  isSilent(): boolean;
  stop(): void;
};

/** Of a call without entries, which no replica serves. */
const NO_ENTRY = { service: '', processor: '' };

/** @param isLastTry no further attempt follows: the request is ended only if it is certainly lost */
export function watchCall(run: Run, group: readonly PlanEntry[], isLastTry: boolean, replica?: string): CallWatch {
  const { discovery, access } = run.deps;
  const connection = access.bus.countConnections();
  const [served = NO_ENTRY] = group;
  const limits = group.map((entry) => entry.timeoutMs);
  let watch = startCallWatch(limits, { isLastTry, replica, now: performance.now() });
  let endRequest: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const apply = (event: CallWatchEvent) => {
    const before = watch.state;
    watch = reduceCallWatch(watch, event);
    if (watch.state !== before && watch.state !== 'answered') endRequest?.();
  };
  const giveUp = () => apply({ event: 'given-up' });
  const check = async () => {
    // The time of the pings does not count: a lost replica is not reported as a late one.
    const now = performance.now();
    const isLookedFor = needsReplica(watch, now);
    const presence = isLookedFor ? await findReplica(discovery, served, watch.replica, isLastTry) : 'present';
    const isReconnected = access.bus.countConnections() !== connection;
    apply({ event: 'checked', presence, isReconnected, now });
    schedule();
  };
  const schedule = () => {
    const delayMs = readCheckDelay(watch, performance.now());
    if (delayMs !== undefined) timer = setTimeout(() => void check(), delayMs);
  };
  run.signal.addEventListener('abort', giveUp, { once: true });
  if (run.signal.aborted) giveUp();
  if (group.length > 1 || Math.max(...limits) > CHECK_AFTER_MS) schedule();
  return {
    onAsked(end) {
      endRequest = end;
      if (watch.state !== 'watching') end();
    },
    receive: (progress) => apply({ event: 'received', progress, now: performance.now() }),
    readFailure: () => ('failure' in watch ? watch.failure : undefined),
    readLastJudged: () => watch.judged,
    readReplica: () => watch.replica,
    giveUp,
    isSilent: () => watch.state === 'silent',
    stop() {
      clearTimeout(timer);
      run.signal.removeEventListener('abort', giveUp);
      apply({ event: 'answered' });
    },
  };
}

/** A service that cannot be asked counts as present. @param isLastTry another replica than the lost one may have the call */
async function findReplica(
  discovery: Deps['discovery'],
  served: Pick<PlanEntry, 'service' | 'processor'>,
  replica: string | undefined,
  isLastTry: boolean,
): Promise<Presence> {
  const missing = await discovery.findMissingReplicas(served, replica).catch(() => 'none' as const);
  if (missing === 'all' || (missing === 'some' && !isLastTry)) return 'absent';
  if (isLastTry) return 'present';
  return (await discovery.hasSilent(served, replica).catch(() => false)) ? 'silent' : 'present';
}
