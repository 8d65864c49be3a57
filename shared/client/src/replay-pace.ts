// Decides when a reader requests a replay, and when it gives up: pure. At once while replies return chunks; after
// increasing delays while chunks are missing; otherwise after a silence, because the live subject may have lost the
// last chunk.
import { isFinal, type ErrorCode, type MillraceError, type RunStatus } from '@millrace/contracts';

export type ReplayLimits = {
  /** A reader requests after this time without a live chunk. */
  silenceMs: number;
  /** First delay after a reply that did not close the gap: the log collects chunks for 250 ms. */
  retryMs: number;
  /**
   * Maximum time without responders, or without the last chunk of an ended run. A killed owner is replaced after 30 s.
   */
  giveUpMs: number;
};
export const REPLAY_LIMITS: ReplayLimits = { silenceMs: 10_000, retryMs: 250, giveUpMs: 60_000 };

export type ReplayPage = {
  status: RunStatus;
  /** The reply returned new chunks. */
  moved: boolean;
  gap: boolean;
  /** First empty reply of a late reader: chunks that are being logged are in neither source. */
  catchingUp: boolean;
  /** Number of consecutive empty replies, this one included. */
  empty: number;
};

/** Returns ms until the next request. */
export function waitAfterAnswer(answered: ReplayPage, limits: ReplayLimits): number {
  if (answered.moved) return 0;
  const isMissing = answered.gap || hasEnded(answered.status) || (answered.catchingUp && answered.empty === 1);
  return isMissing ? waitAfterFailure(answered.empty, limits) : limits.silenceMs;
}

/** Returns ms until the next request, after `failures` in sequence. */
export function waitAfterFailure(failures: number, { retryMs, silenceMs }: ReplayLimits): number {
  return Math.min(retryMs * 2 ** (failures - 1), silenceMs);
}

/**
 * The run publishes nothing more: its last chunk is in the log, or soon will be. Not a suspended run: a reader that
 * knows of the suspension requests nothing more, and a reader that resumes there waits for the answer.
 */
export const hasEnded = isFinal;

const temporary: readonly ErrorCode[] = ['nobody-there', 'timeout', 'bus-unreachable', 'internal'];

/** Returns true if a retry may help. */
export const isTemporary = (error: MillraceError): boolean => temporary.includes(error.code);
