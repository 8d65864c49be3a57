// Runs one rule. A rule that fails on a busy machine runs again, alone: a replica without a core misses time limits.
import { isBusy, isTooBusyFor, measureResponse } from './measure-response.ts';
import { BrokenError, LateError } from './rule-error.ts';
import { type CheckRule, WIRE_PAGES } from './rule.ts';
import type { Served } from './target.ts';

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
export type MeasureResponse = (target: Served) => Promise<number | undefined>;

export type RuleRun = {
  timeUp: AbortSignal;
  measure?: MeasureResponse | undefined;
};

/** The time limit that the rule has missed, ms. */
type Run = { result: RuleResult; limitMs?: number };

/** @param skipReason the rule does not apply */
export async function runRule<T extends Served>(
  target: T,
  rule: CheckRule<T>,
  { timeUp }: RuleRun,
  skipReason = rule.skipReason?.(target),
): Promise<RuleResult> {
  return (await runOnce(target, rule, timeUp, skipReason)).result;
}

/**
 * Runs the rule while no other rule runs. If it fails on a busy machine it runs once more, unless it ends a replica; if it
 * then misses a time limit that the machine cannot hold, it is slow.
 */
export async function runRuleAlone<T extends Served>(
  target: T,
  rule: CheckRule<T>,
  { timeUp, measure = measureResponse }: RuleRun,
  skipReason = rule.skipReason?.(target),
): Promise<RuleResult> {
  const first = await runOnce(target, rule, timeUp, skipReason);
  if (first.result.result !== 'broken') return first.result;
  const responseMs = await measure(target);
  if (!isBusy(responseMs)) return first.result;
  if (rule.ends) return judgeTime(first, responseMs);
  const again = await runOnce(target, rule, timeUp);
  return again.result.result === 'broken' ? judgeTime(again, await measure(target)) : again.result;
}

function judgeTime({ result, limitMs }: Run, responseMs: number | undefined): RuleResult {
  if (limitMs === undefined || !isTooBusyFor(limitMs, responseMs)) return result;
  const busy = `the service answers a ping after ${Math.round(responseMs)} ms, so that the machine is too busy for this limit`;
  return { ...result, result: 'slow', problem: `${result.problem ?? ''}; ${busy}` };
}

async function runOnce<T>(target: T, rule: CheckRule<T>, timeUp: AbortSignal, skipReason?: string): Promise<Run> {
  const started = performance.now();
  const head = { rule: rule.id, promise: rule.promise, page: WIRE_PAGES[rule.page] };
  const measureMs = () => Math.round(performance.now() - started);
  if (skipReason !== undefined) return { result: { ...head, ms: 0, result: 'skipped', problem: skipReason } };
  const timeOut = () => new LateError('the check timed out before the rule was done', Math.max(measureMs(), 1));
  try {
    await Promise.race([rule.run(target), rejectAt(timeUp, timeOut)]);
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
