// Decides when a request in progress is abandoned. Pure: watch-call.ts sets the timer and asks discovery.
//
// A watch is `watching` until the request is answered or abandoned. A request is abandoned if its member at work exceeds
// its time (`late`), its replica or the connection of its answer is lost (`lost`), its replica runs but does not answer
// while another one does (`silent`), or its answer is not needed any more (`given-up`).
import type { ErrorCode, StageReply } from '@millrace/contracts';

/** Time without a message after which the replica is looked for, ms. */
export const LOOK_AFTER_MS = 1_000;

export type Progress = Extract<StageReply, { progress: unknown }>;
/** Where the replica of the request is. */
export type Presence = 'present' | 'absent' | 'silent';

type Heard = {
  /** The verdicts that the replica has reported. Absent: it reports none, so that the member at work is unknown. */
  judged?: Progress['judged'];
  /** The replica that has the request. Absent: unknown. */
  replica?: string | undefined;
};
type Watching = Heard & {
  state: 'watching';
  /** Times of the members of the call, ms. */
  limits: readonly number[];
  /** No further attempt follows: the request ends only if it is certainly lost. */
  isLastTry: boolean;
  startedAt: number;
  heardAt: number;
  /** Time at which the member at work is late. */
  limitAt: number;
  /** The time without a message over the new connection has begun. */
  isRenewed: boolean;
};
type Abandoned = Heard & {
  state: 'late' | 'lost' | 'silent';
  failure: { code: ErrorCode; message: string };
};
export type CallWatchState = Watching | Abandoned | (Heard & { state: 'given-up' | 'answered' });

export type CallWatchEvent =
  | { event: 'heard'; progress: Progress; now: number }
  /** `isReconnected`: the connection is another one than that of the request. */
  | { event: 'looked'; presence: Presence; isReconnected: boolean; now: number }
  | { event: 'given-up' }
  | { event: 'answered' };

/** @param limits of the members of the call, ms, in order @param replica that the request names */
export function startCallWatch(
  limits: readonly number[],
  { isLastTry, replica, now }: { isLastTry: boolean; replica: string | undefined; now: number },
): CallWatchState {
  const limitAt = now + Math.max(...limits);
  return { state: 'watching', limits, isLastTry, replica, startedAt: now, heardAt: now, limitAt, isRenewed: false };
}

/** Only a request that is watched changes. */
export function reduceCallWatch(watch: CallWatchState, event: CallWatchEvent): CallWatchState {
  if (watch.state !== 'watching') return watch;
  switch (event.event) {
    case 'heard':
      return hear(watch, event.progress, event.now);
    case 'looked':
      return look(watch, event);
    case 'given-up':
    case 'answered':
      return { state: event.event, judged: watch.judged, replica: watch.replica };
  }
}

/** Returns whether the request has been without a message for so long that its replica is looked for. */
export const needsReplica = (watch: CallWatchState, now: number): boolean =>
  watch.state === 'watching' && isQuiet(watch, now) && !isLate(watch, now);

/** Returns the time until the next look, ms; undefined if the watch has ended. */
export function readLookDelay(watch: CallWatchState, now: number): number | undefined {
  if (watch.state !== 'watching') return undefined;
  const limitAt = isGroup(watch) ? watch.limitAt : Infinity;
  return Math.max(Math.min(limitAt - now, LOOK_AFTER_MS), 1);
}

/** A call of one member has the time of its request. */
const isGroup = ({ limits }: Watching): boolean => limits.length > 1;
const isLate = (watch: Watching, now: number): boolean => isGroup(watch) && now >= watch.limitAt;
const isQuiet = ({ heardAt }: Watching, now: number): boolean => now - heardAt >= LOOK_AFTER_MS;

function hear(watch: Watching, progress: Progress, now: number): Watching {
  const heard = { ...watch, heardAt: now, replica: progress.replica ?? watch.replica };
  // A replica that names itself reports verdicts, so that the member at work is known.
  const named = progress.replica === undefined ? undefined : { verdicts: [], ms: [] };
  const judged = progress.judged ?? watch.judged ?? named;
  if (!judged || judged.verdicts.length === watch.judged?.verdicts.length) return heard;
  const begunAt = watch.judged || judged.verdicts.length > 0 ? now : watch.startedAt;
  return { ...heard, judged, limitAt: begunAt + (watch.limits[judged.verdicts.length] ?? 0) };
}

function look(
  watch: Watching,
  { presence, isReconnected, now }: Extract<CallWatchEvent, { event: 'looked' }>,
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
  if (!watch.isRenewed) return { ...watch, isRenewed: true, heardAt: now };
  return abandon(watch, 'lost', NOT_THERE, 'The connection to NATS broke, and the answer was lost.');
}

const NOT_THERE = 'processor-not-there';

const abandon = (
  { judged, replica }: Watching,
  state: Abandoned['state'],
  code: ErrorCode,
  message: string,
): Abandoned => ({ state, judged, replica, failure: { code, message } });
