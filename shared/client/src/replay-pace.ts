// When a reader asks for a replay, and when it gives up: pure. At once while answers bring something; soon, and then ever less
// often, while something is known to be missing; else only after a silence, since the live subject may have lost the last word.
import { isFinal, type ErrorCode, type MillraceError, type RunStatus } from '@millrace/contracts';

export type ReplayLimits = {
  /** Without a live chunk for this long a reader asks. */
  silenceMs: number;
  /** The first wait after an answer that did not bring what is missing: the log gathers chunks for 250 ms. */
  retryMs: number;
  /** How long nobody may answer, or a run that has ended may lack its last chunk. An owner that was killed is replaced after 30 s. */
  giveUpMs: number;
};
export const REPLAY_LIMITS: ReplayLimits = { silenceMs: 10_000, retryMs: 250, giveUpMs: 60_000 };

export type Answered = {
  status: RunStatus;
  /** The answer gave the reader something. */
  moved: boolean;
  gap: boolean;
  /** A late reader's first empty answer: what the log gathers just now is in neither. */
  catchingUp: boolean;
  /** Answers in a row that gave nothing, this one included. */
  empty: number;
};

/** ms until the next question */
export function waitAfterAnswer(answered: Answered, limits: ReplayLimits): number {
  if (answered.moved) return 0;
  const isMissing = answered.gap || hasEnded(answered.status) || (answered.catchingUp && answered.empty === 1);
  return isMissing ? waitAfterFailure(answered.empty, limits) : limits.silenceMs;
}

/** ms until the next question, after `failures` in a row */
export function waitAfterFailure(failures: number, { retryMs, silenceMs }: ReplayLimits): number {
  return Math.min(retryMs * 2 ** (failures - 1), silenceMs);
}

/**
 * The run publishes nothing more, so that its last chunk must be in the log by now, or soon. Not a suspended one: whoever has read that it is
 * put away is not asked any more, and who reads on from there waits for what comes of an answer.
 */
export const hasEnded = isFinal;

const temporary: readonly ErrorCode[] = ['nobody-there', 'timeout', 'bus-unreachable', 'internal'];

/** Asking again may help. */
export const isTemporary = (error: MillraceError): boolean => temporary.includes(error.code);
