// Runs one rule. A rule that fails on a busy machine runs again, alone: a replica without a core misses time limits.
import { isBusy, isTooBusyFor } from './measure-response.ts';
import { BrokenError, LateError } from './rule-error.ts';
import { type CheckRule, WIRE_PAGES } from './rule.ts';
import type { ServedTarget } from './target.ts';

export type RuleResult = {
  rule: string;
  promise: string;
  /** `slow`: a time limit was missed, on a machine that is too busy for it: the rule is neither held nor broken. */
  result: 'held' | 'broken' | 'skipped' | 'slow';
  /** Heading of docs/wire.md. */
  page: string;
  ms: number;
  /** The problem, or the reason for skipping. */
  problem?: string;
  /** The message in which it was seen. */
  seen?: string;
};

/** Returns the response time of a service, ms; undefined if it does not answer. */
export type MeasureResponse = (target: ServedTarget) => Promise<number | undefined>;

export type RuleRun = {
  timeUp: AbortSignal;
  measure: MeasureResponse;
};

/** Measures a service no more once the signal has fired, if its response time is known. */
export function measureUntil(signal: AbortSignal, measure: MeasureResponse): MeasureResponse {
  const known = new Map<string, number | undefined>();
  return async (target) => {
    if (!signal.aborted || !known.has(target.service)) known.set(target.service, await measure(target));
    return known.get(target.service);
  };
}

/** One run of a rule. `limitMs`: the time limit that it has missed, ms. */
export type RuleOutcome = { result: RuleResult; limitMs?: number };

export const isBroken = ({ result: { result } }: RuleOutcome): boolean => result === 'broken';

/** Runs the rule while no other rule runs, and once more if it fails on a busy machine. @param skipReason the rule does not apply */
export async function runRuleAlone<T extends ServedTarget>(
  target: T,
  rule: CheckRule<T>,
  run: RuleRun,
  skipReason = rule.skipReason?.(target),
): Promise<RuleResult> {
  const first = await runRule(target, rule, run, skipReason);
  return isBroken(first) ? repeatBroken(target, rule, run, first, await run.measure(target)) : first.result;
}

/**
 * Runs a broken rule once more, alone, if the machine is busy and the rule ends no replica. If it then misses a time limit that the machine
 * cannot hold, it is slow.
 * @param responseMs response time of the service, ms
 */
export async function repeatBroken<T extends ServedTarget>(
  target: T,
  rule: CheckRule<T>,
  run: RuleRun,
  first: RuleOutcome,
  responseMs: number | undefined,
): Promise<RuleResult> {
  if (!isBusy(responseMs)) return first.result;
  if (rule.ends || run.timeUp.aborted) return judgeTime(first, responseMs);
  const again = await runRule(target, rule, run);
  return isBroken(again) ? judgeTime(again, await run.measure(target)) : again.result;
}

function judgeTime({ result, limitMs }: RuleOutcome, responseMs: number | undefined): RuleResult {
  if (limitMs === undefined || !isTooBusyFor(limitMs, responseMs)) return result;
  const busy = `the service answers a ping after ${Math.round(responseMs)} ms, so that the machine is too busy for this limit`;
  return { ...result, result: 'slow', problem: `${result.problem ?? ''}; ${busy}` };
}

/** Runs the rule once. @param skipReason the rule does not apply */
export async function runRule<T>(
  target: T,
  rule: CheckRule<T>,
  { timeUp }: RuleRun,
  skipReason = rule.skipReason?.(target),
): Promise<RuleOutcome> {
  const started = performance.now();
  const head = { rule: rule.id, promise: rule.promise, page: WIRE_PAGES[rule.page] };
  const measureMs = () => Math.round(performance.now() - started);
  if (skipReason !== undefined) return { result: { ...head, ms: 0, result: 'skipped', problem: skipReason } };
  const createLateError = () => new LateError('the check timed out before the rule was done', Math.max(measureMs(), 1));
  try {
    // A rule that starts after the time limit would leave its calls under way.
    if (timeUp.aborted) throw createLateError();
    await Promise.race([rule.run(target), rejectAt(timeUp, createLateError)]);
    return { result: { ...head, ms: measureMs(), result: 'held' } };
  } catch (error) {
    if (!(error instanceof BrokenError)) throw error;
    const { message: problem, seen } = error;
    return {
      result: { ...head, ms: measureMs(), result: 'broken', problem, ...(seen !== undefined && { seen }) },
      ...(error instanceof LateError && { limitMs: error.limitMs }),
    };
  }
}

/** Returns a promise that rejects with the error when the signal fires. */
export function rejectAt(signal: AbortSignal, makeError: () => Error): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // The rejection may occur after the check has ended.
  promise.catch(() => undefined);
  if (signal.aborted) reject(makeError());
  else signal.addEventListener('abort', () => reject(makeError()), { once: true });
  return promise;
}
