// Applies the policy of entries to stage calls, stream sessions and batches of chunks. Adjacent entries share one
// request. If it is not answered, each entry is asked alone, so that the policy applies to one entry. A failed entry is
// retried on another replica while it has attempts; a request for an absent service waits while its time lasts; a
// request that no replica accepted (all are full, or the bus was unavailable) is sent again without using an attempt or
// the entry's time.
import { createFailure, timings, type PlanEntry, type Stage, type VerdictOf } from '@millrace/contracts';
import type { BusLog } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import type { Discovery } from '../peers/discovery.ts';
import type { RunActivity, TrackedCall } from '../state/run-activity.ts';
import { mergeAdjacent } from './call-request.ts';

type FailureVerdict = VerdictOf<'failure'>;

/** Result of one request. */
export type CallAnswer<A> = {
  /** The answer for the first `served` entries of the group; absent if there are none. */
  answer?: A | undefined;
  served: number;
  /** The failure of the entry after those. `group`: the failing entry is unknown. */
  failure?: { verdict: FailureVerdict; of: 'member' | 'group' };
  /** No replica received the request. */
  hasNoReplica?: boolean;
  /** The request was not answered. */
  unanswered?: boolean;
  /** No replica accepted the request, which is not a failure: see unaccepted-request.ts. */
  notTaken?: 'elsewhere' | 'again' | undefined;
  replica?: string | undefined;
};

export type CallTarget = {
  replica?: string | undefined;
  lastTry: boolean;
  call: Pick<TrackedCall, 'receive' | 'setState'>;
};
export type AskTarget<A> = (group: PlanEntry[], to: CallTarget) => Promise<CallAnswer<A>>;

type AnsweredCall<A> = { entries: PlanEntry[]; answer: A; attempts: number; replica?: string | undefined };
type FailedCall = {
  entry: PlanEntry;
  failure: FailureVerdict;
  attempts: number;
  ms: number;
  replica?: string | undefined;
};
export type CallOutcome<A> = AnsweredCall<A> | FailedCall;

export type PolicyContext = {
  signal: AbortSignal;
  activity: Pick<RunActivity, 'begin'>;
  /** Returns the minimum wait for an absent service, ms. */
  readMinAbsentMs: () => number;
  deps: {
    discovery: Pick<Discovery, 'isServedTogether' | 'findAnsweringReplica' | 'preferReplica' | 'refresh'>;
    log: Pick<BusLog, 'warn'>;
  };
};
export type PolicyOptions = {
  stage: Stage;
  /** Time for which an entry waits for an absent service, ms. Default: the entry's timeout, and at least `readMinAbsentMs()`. */
  readAbsentMs?: (entry: PlanEntry) => number | undefined;
};

/** Wait before a request is sent again that no replica answered, ms. */
const ASK_AGAIN_MS = 100;

/**
 * Asks the entries in order. Yields an outcome when the caller requests the next one, because the caller's use of an
 * outcome may change the next request. Stops early if the signal fires.
 */
export async function* askWithPolicy<A>(
  context: PolicyContext,
  entries: readonly PlanEntry[],
  ask: AskTarget<A>,
  options: PolicyOptions,
): AsyncGenerator<CallOutcome<A>, void, void> {
  const { signal, deps, activity } = context;
  const { askGroup, askOne } = createAsker(context, ask, options);
  const track = async <T>(group: readonly PlanEntry[], work: (call: TrackedCall) => Promise<T>): Promise<T> => {
    const names = group.map(({ entry }) => entry);
    const call = activity.begin({ kind: 'processor', stage: options.stage, names, service: group[0]?.service ?? '' });
    try {
      return await work(call);
    } finally {
      call.end();
    }
  };
  let rest = [...entries];
  let alone = 0;
  while (rest.length > 0 && !signal.aborted) {
    const [group = []] = alone > 0 ? [rest.slice(0, 1)] : mergeAdjacent(rest, deps.discovery);
    const [first] = group;
    if (!first) return;
    if (group.length === 1) {
      alone = Math.max(alone - 1, 0);
      rest = rest.slice(1);
      yield await track(group, (call) => askOne(first, call));
      continue;
    }
    const asked = await track(group, (call) => askGroup(group, { lastTry: false, call }));
    const { answer, served, failure, replica } = asked;
    if (failure?.of === 'group' && !asked.hasNoReplica) {
      alone = group.length;
      continue;
    }
    const failing = group[served];
    rest = rest.slice(served + (failure ? 1 : 0));
    if (answer !== undefined && served > 0) yield { entries: group.slice(0, served), answer, attempts: 1, replica };
    // The failing entry is asked alone for its other attempts, after the caller has used the answers before it.
    if (failure && failing && !signal.aborted) yield await track([failing], (call) => askOne(failing, call, asked));
  }
}

/** Sends one request, of a group or an entry, until it has an answer or its policy abandons it. */
function createAsker<A>(
  { signal, readMinAbsentMs, deps: { discovery, log } }: PolicyContext,
  ask: AskTarget<A>,
  options: PolicyOptions,
) {
  const chooseAbsentMs = (entry: PlanEntry) =>
    options.readAbsentMs?.(entry) ?? Math.max(entry.timeoutMs, readMinAbsentMs());
  /** Services for which a request has waited in vain: their other entries do not wait again. */
  const away = new Set<string>();
  const pause = () => delay(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);

  /** Repeats a request that no replica accepted: on another replica at once if there is one, since it may have room. */
  const askAccepted = async (group: PlanEntry[], to: CallTarget): Promise<CallAnswer<A>> => {
    const [first] = group;
    const service = first?.service ?? '';
    let giveUpAt = performance.now() + timings.roomMs;
    let target = { ...to, replica: to.replica ?? (first && discovery.preferReplica(first)) };
    for (let tries = 1; ; tries++) {
      const asked = await ask(group, target);
      if (!asked.notTaken || signal.aborted || away.has(service)) return asked;
      if (asked.notTaken === 'elsewhere' && performance.now() > giveUpAt) {
        away.add(service);
        return asked;
      }
      to.call.setState(asked.notTaken === 'again' ? 'bus-away' : 'full');
      if (tries > 1) await pause();
      if (asked.notTaken === 'again') {
        // The outage of the bus does not count as time of the request.
        giveUpAt = performance.now() + timings.roomMs;
        continue;
      }
      const found = first && (await discovery.findAnsweringReplica(first, signal, asked.replica));
      target = { ...to, replica: found === asked.replica ? to.replica : (found ?? to.replica) };
    }
  };
  /** Waits for a service of which no replica runs, because it may restart. */
  const askGroup = async (group: PlanEntry[], to: CallTarget): Promise<CallAnswer<A>> => {
    const [first] = group;
    const service = first?.service ?? '';
    let giveUpAt: number | undefined;
    for (;;) {
      const asked = await askAccepted(group, to);
      if (!asked.hasNoReplica || away.has(service) || signal.aborted) return asked;
      // The wait starts with the first such answer, because the bus may have been away before it.
      if (giveUpAt === undefined) {
        const waitMs = first ? chooseAbsentMs(first) : 0;
        giveUpAt = performance.now() + waitMs;
        log.warn({ service, entry: first?.entry, waitMs }, 'no replica of the service is running, waiting for one');
      }
      to.call.setState('absent');
      if (performance.now() + ASK_AGAIN_MS > giveUpAt) {
        away.add(service);
        return asked;
      }
      await pause();
    }
  };
  /** Finds a replica for another attempt, until `giveUpAt` if the former one is lost. */
  const findAnother = async (entry: PlanEntry, failed: string | undefined, giveUpAt: number) => {
    for (;;) {
      const found = await discovery.findAnsweringReplica(entry, signal, failed);
      if (found !== undefined || signal.aborted || performance.now() > giveUpAt) return found;
      await pause();
      await discovery.refresh();
    }
  };
  /** @param failed the entry's first attempt, if it was made in a merged request */
  const askOne = async (entry: PlanEntry, call: TrackedCall, failed?: CallAnswer<A>): Promise<CallOutcome<A>> => {
    const started = performance.now();
    let last = failed;
    for (let attempts = failed ? 1 : 0; ; attempts++) {
      if (last) {
        const failure = last.failure?.verdict ?? nothingJudged;
        const over: FailedCall = { entry, failure, attempts, ms: performance.now() - started, replica: last.replica };
        if (!failure.retryable || attempts >= entry.attempts || signal.aborted || away.has(entry.service)) return over;
        const replica = await findAnother(entry, last.replica, last.unanswered ? started + entry.timeoutMs : 0);
        if (replica === undefined) return over;
        call.setAttempt(attempts + 1);
        const again = await askAccepted([entry], { replica, lastTry: attempts + 1 >= entry.attempts, call });
        last = again.hasNoReplica ? withFirst(again, failure) : { replica, ...again };
      } else last = await askGroup([entry], { lastTry: entry.attempts < 2, call });
      if (last.answer !== undefined && !last.failure)
        return { entries: [entry], answer: last.answer, attempts: attempts + 1, replica: last.replica };
    }
  };
  return { askGroup, askOne };
}

const nothingJudged = createFailure('processor-not-there', 'The replica returned no verdict.');

/** Adds the failure of the first attempt to that of a second one that no replica received. */
function withFirst<A>(again: CallAnswer<A>, first: FailureVerdict): CallAnswer<A> {
  if (!again.failure) return again;
  const { verdict, of } = again.failure;
  const message = `${verdict.message} The previous attempt failed with ${first.code}: ${first.message}`;
  return { ...again, failure: { verdict: { ...verdict, message }, of } };
}
