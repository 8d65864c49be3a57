// Decides when a request in progress is abandoned. Pure: watch-call.ts sets the timer and asks discovery.
//
// A watch is `watching` until the request is answered or abandoned. A request is abandoned if its member at work exceeds
// its time (`late`), its replica or the connection of its answer is lost (`lost`), its replica runs but does not answer
// while another one does (`silent`), or its answer is not needed any more (`given-up`).
import type { ErrorCode, StageReply } from '@millrace/contracts';

/** Time without a message after which the replica is looked for, ms. */
export const CHECK_AFTER_MS = 1_000;

export type Progress = Extract<StageReply, { progress: unknown }>;
/** Where the replica of the request is. */
export type Presence = 'present' | 'absent' | 'silent';

type ReportedProgress = {
  /** The verdicts that the replica has reported. Absent: it reports none, so that the member at work is unknown. */
  judged?: Progress['judged'];
  /** The replica that has the request. Absent: unknown. */
  replica?: string | undefined;
};
type Watching = ReportedProgress & {
  state: 'watching';
  /** Times of the members of the call, ms. */
  limits: readonly number[];
  /** No further attempt follows: the request ends only if it is certainly lost. */
  isLastTry: boolean;
  startedAt: number;
  receivedAt: number;
  /** Time at which the member at work is late. */
  limitAt: number;
  /** The time without a message over the new connection has begun. */
  isRenewed: boolean;
};
type AbandonedWatch = ReportedProgress & {
  state: 'late' | 'lost' | 'silent';
  failure: { code: ErrorCode; message: string };
};
export type CallWatchState = Watching | AbandonedWatch | (ReportedProgress & { state: 'given-up' | 'answered' });

export type CallWatchEvent =
  | { event: 'received'; progress: Progress; now: number }
  /** `isReconnected`: the connection is another one than that of the request. */
  | { event: 'checked'; presence: Presence; isReconnected: boolean; now: number }
  | { event: 'given-up' }
  | { event: 'answered' };

/** @param limits of the members of the call, ms, in order @param replica that the request names */
export function startCallWatch(
  limits: readonly number[],
  { isLastTry, replica, now }: { isLastTry: boolean; replica: string | undefined; now: number },
): CallWatchState {
  const limitAt = now + Math.max(...limits);
  return { state: 'watching', limits, isLastTry, replica, startedAt: now, receivedAt: now, limitAt, isRenewed: false };
}

/** Only a request that is watched changes. */
export function reduceCallWatch(watch: CallWatchState, event: CallWatchEvent): CallWatchState {
  if (watch.state !== 'watching') return watch;
  switch (event.event) {
    case 'received':
      return receive(watch, event.progress, event.now);
    case 'checked':
      return check(watch, event);
    case 'given-up':
    case 'answered':
      return { state: event.event, judged: watch.judged, replica: watch.replica };
  }
}

/** Returns whether the request has been without a message for so long that its replica is looked for. */
export const needsReplica = (watch: CallWatchState, now: number): boolean =>
  watch.state === 'watching' && isQuiet(watch, now) && !isLate(watch, now);

/** Returns the time until the next look, ms; undefined if the watch has ended. */
export function readCheckDelay(watch: CallWatchState, now: number): number | undefined {
  if (watch.state !== 'watching') return undefined;
  const limitAt = isGroup(watch) ? watch.limitAt : Infinity;
  return Math.max(Math.min(limitAt - now, CHECK_AFTER_MS), 1);
}

/** A call of one member has the time of its request. */
const isGroup = ({ limits }: Watching): boolean => limits.length > 1;
const isLate = (watch: Watching, now: number): boolean => isGroup(watch) && now >= watch.limitAt;
const isQuiet = ({ receivedAt }: Watching, now: number): boolean => now - receivedAt >= CHECK_AFTER_MS;

function receive(watch: Watching, progress: Progress, now: number): Watching {
  const received = { ...watch, receivedAt: now, replica: progress.replica ?? watch.replica };
  // A replica that names itself reports verdicts, so that the member at work is known.
  const named = progress.replica === undefined ? undefined : { verdicts: [], ms: [] };
  const judged = progress.judged ?? watch.judged ?? named;
  if (!judged || judged.verdicts.length === watch.judged?.verdicts.length) return received;
  const begunAt = watch.judged || judged.verdicts.length > 0 ? now : watch.startedAt;
  return { ...received, judged, limitAt: begunAt + (watch.limits[judged.verdicts.length] ?? 0) };
}

function check(
  watch: Watching,
  { presence, isReconnected, now }: Extract<CallWatchEvent, { event: 'checked' }>,
): CallWatchState {
  if (isLate(watch, now)) {
    const limit = watch.limits[watch.judged?.verdicts.length ?? 0] ?? 0;
    return abandon(watch, 'late', 'timeout', `It returned no verdict within ${limit} ms.`);
  }
  if (!isQuiet(watch, now)) return watch;
  if (presence === 'absent') return abandon(watch, 'lost', NOT_THERE, 'The replica was lost during the call.');
  if (watch.isLastTry) return watch;
  if (presence === 'silent') return abandon(watch, 'silent', NOT_THERE, 'The replica does not answer.');
  if (!isReconnected) return watch;
  // The answer may have been sent over the previous connection: without a message over the new one it is lost.
  if (!watch.isRenewed) return { ...watch, isRenewed: true, receivedAt: now };
  return abandon(watch, 'lost', NOT_THERE, 'The connection to NATS broke, and the answer was lost.');
}

const NOT_THERE = 'processor-not-there';

const abandon = (
  { judged, replica }: Watching,
  state: AbandonedWatch['state'],
  code: ErrorCode,
  message: string,
): AbandonedWatch => ({ state, judged, replica, failure: { code, message } });
