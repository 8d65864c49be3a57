// Decides the next call of a model for an answer that has none yet: the same candidate after a pause, the next one, or none. Pure: a fold
// of the failures so far, which the run stores, so that the next owner of the run continues where the lost one stopped. docs/models.md
import type { AttemptFailure, FailureCause, ModelCandidate } from '@millrace/contracts';

export const DEFAULT_ATTEMPTS = 3;
/** The pause before the second call of a candidate is at most this long; it doubles with each failure, ms. */
const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** Longest pause that a provider's Retry-After causes if no other candidate follows, ms. */
const MAX_RETRY_AFTER_MS = 60_000;
/** The same if another candidate follows, ms. */
const PATIENCE_MS = 5_000;

/** `stay`: the same candidate may be asked again. `leave`: another candidate, at once. `end`: the run ends with the provider's reason. */
const EFFECTS: Readonly<Record<FailureCause, 'stay' | 'leave' | 'end'>> = {
  network: 'stay',
  unavailable: 'stay',
  throttled: 'stay',
  cut: 'stay',
  malformed: 'stay',
  silent: 'leave',
  unauthorized: 'leave',
  'too-long': 'leave',
  refused: 'leave',
  invalid: 'end',
  internal: 'end',
};

export type AttemptContext = {
  candidates: readonly ModelCandidate[];
  /** A refusal of the content leaves the candidate instead of ending the run. */
  onRefusal: boolean;
  /** Until the deadline of the run, ms. */
  remainingMs: number;
  /** ms since 1970 */
  now: number;
  /** From 0 to below 1. */
  random: () => number;
  /** Returns the time until which a candidate must not be asked, ms since 1970, or undefined. */
  readOpenUntil?: (candidate: number) => number | undefined;
};

/** `end`: no candidate is left, or the wait ends after the deadline. */
export type ModelAttempt = { kind: 'ask'; candidate: number; waitMs: number } | { kind: 'end' };

export function chooseAttempt(failures: readonly AttemptFailure[], context: AttemptContext): ModelAttempt {
  const last = failures.at(-1);
  if (last && endsRun(last, context.onRefusal)) return { kind: 'end' };
  const usable = context.candidates.flatMap((_, place) => (isUsable(place, failures, context) ? [place] : []));
  const [first] = usable;
  if (first === undefined) return { kind: 'end' };
  const waits = new Map(usable.map((place) => [place, computeWait(place, failures, context, usable.length > 1)]));
  const readWait = (place: number) => waits.get(place) ?? 0;
  const isOpen = (place: number) => (context.readOpenUntil?.(place) ?? 0) > context.now;
  // In the order of the agent; the candidate that failed last is asked again if its pause is short.
  const chosen =
    usable.find((place) => place >= (last?.candidate ?? 0) && readWait(place) <= PATIENCE_MS && !isOpen(place)) ??
    usable.reduce((best, place) => (readWait(place) < readWait(best) ? place : best), first);
  const waitMs = readWait(chosen);
  // A call without a wait is made: the signal of the deadline ends it.
  return waitMs === 0 || waitMs < context.remainingMs ? { kind: 'ask', candidate: chosen, waitMs } : { kind: 'end' };
}

/** The failure ends the run with the provider's reason. */
export function endsRun({ cause }: AttemptFailure, onRefusal: boolean): boolean {
  return EFFECTS[cause] === 'end' || (cause === 'refused' && !onRefusal);
}

/** A candidate is used up by a failure that no repetition mends, or by its number of attempts. */
function isUsable(place: number, failures: readonly AttemptFailure[], { candidates }: AttemptContext): boolean {
  const candidate = candidates[place];
  if (!candidate) return false;
  const own = failures.filter((failure) => failure.candidate === place);
  if (own.some(({ cause }) => EFFECTS[cause] !== 'stay')) return false;
  if (own.length >= (candidate.maxAttempts ?? DEFAULT_ATTEMPTS)) return false;
  return failures.every(
    (failure) => failure.cause !== 'too-long' || hasLargerWindow(candidate, candidates[failure.candidate]),
  );
}

/** An unknown window may be larger. */
function hasLargerWindow({ contextTokens }: ModelCandidate, refused: ModelCandidate | undefined): boolean {
  if (contextTokens === undefined || refused?.contextTokens === undefined) return true;
  return contextTokens > refused.contextTokens;
}

/** Full jitter, at least the wait that the provider requested. */
function computeWait(
  place: number,
  failures: readonly AttemptFailure[],
  { now, random, readOpenUntil }: AttemptContext,
  hasOthers: boolean,
): number {
  const own = failures.filter((failure) => failure.candidate === place);
  const openMs = Math.max(0, (readOpenUntil?.(place) ?? now) - now);
  const last = own.at(-1);
  if (!last) return openMs;
  const jittered = random() * Math.min(BACKOFF_MS * 2 ** (own.length - 1), MAX_BACKOFF_MS);
  const requested = Math.max(0, (last.retryAt ?? now) - now);
  const bounded = hasOthers ? requested : Math.min(requested, MAX_RETRY_AFTER_MS);
  return Math.max(jittered, bounded, openMs);
}
