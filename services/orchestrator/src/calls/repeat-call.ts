// Repeats a failed call of an idempotent tool, as often as the agent's entry of the tool allows, with a pause between
// the attempts.
import { setTimeout as delay } from 'node:timers/promises';
import { getOwnMember, isObject } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

/** The service, the tool or the bus has failed: another attempt may succeed. */
const PASSING: ReadonlySet<unknown> = new Set([
  'tool-not-there',
  'tool-timeout',
  'tool-failed',
  'bus-unreachable',
  'service-failed',
  'replica-busy',
  'too-many-requests',
]);
const FIRST_PAUSE_MS = 200;

type RepeatedCall<O> = { called: O; attempts: number };
/** An outcome of a tool: of a failed call it has the error as its result. */
type CallOutcomeForm = object & { result?: { isError: boolean; result?: unknown } };

/** @param call makes one attempt @param signal ends a pause */
export async function repeatCall<O extends CallOutcomeForm>(
  run: Run,
  tool: string,
  call: () => Promise<O>,
  signal: AbortSignal,
): Promise<RepeatedCall<O>> {
  const { attempts: most = 1 } = getOwnMember(run.plan.toolRules ?? {}, tool) ?? {};
  for (let attempts = 1; ; attempts += 1) {
    const called = await call();
    if (attempts >= most || !hasPassingError(called) || signal.aborted) return { called, attempts };
    // Full jitter: calls that failed together are not repeated together.
    await delay(Math.random() * FIRST_PAUSE_MS * 2 ** attempts, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return { called, attempts };
  }
}

function hasPassingError({ result: called }: CallOutcomeForm): boolean {
  if (!called?.isError) return false;
  const { result } = called;
  const error = isObject(result) ? result['error'] : undefined;
  return isObject(error) && PASSING.has(error['code']);
}
