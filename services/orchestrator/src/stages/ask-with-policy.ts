// How processors are asked, whatever for: a stage call, a stream session, a batch of chunks. Adjacent entries go into one request; one
// that nobody answers is asked for one by one, so that policy falls on one entry; an entry is tried again on another replica while its
// attempts last; one whose service is away is waited for while its time lasts; one that no replica has taken up (all are full, or the
// bus was away) is asked again, without an attempt and without its time.
import { failureOf, type PlanEntry, type VerdictOf } from '@millrace/contracts';
import type { BusLog } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import type { Discovery } from '../peers/discovery.ts';
import { mergeAdjacent } from './call-request.ts';

type Failure = VerdictOf<'failure'>;

/** What one request came to. */
export type Asked<A> = {
  /** The answer for the first `served` of the group; absent where that is none of them. */
  answer?: A | undefined;
  served: number;
  /** The member after those failed. `group`: nobody knows which of them did. */
  failure?: { verdict: Failure; of: 'member' | 'group' };
  /** The request reached nobody. */
  nobodyThere?: boolean;
  /** The failure was not the replica's answer: there was none. */
  unanswered?: boolean;
  /** Nobody has taken it up, and it is nobody's failure: see not-taken.ts. */
  notTaken?: 'elsewhere' | 'again' | undefined;
  replica?: string | undefined;
};

export type Target = { replica?: string | undefined; lastTry: boolean };
export type Ask<A> = (group: PlanEntry[], to: Target) => Promise<Asked<A>>;

type Answered<A> = { entries: PlanEntry[]; answer: A; attempts: number; replica?: string | undefined };
type Failed = { entry: PlanEntry; failure: Failure; attempts: number; ms: number; replica?: string | undefined };
export type Outcome<A> = Answered<A> | Failed;

export type PolicyContext = {
  signal: AbortSignal;
  deps: {
    discovery: Pick<Discovery, 'together' | 'replicaThatAnswers' | 'preferred' | 'refresh'>;
    log: Pick<BusLog, 'warn'>;
  };
};
export type PolicyOptions = {
  /** How long an entry waits for a service of which no replica runs, ms. Default: the entry's timeout. */
  absentMs?: (entry: PlanEntry) => number;
};

/** How long an entry waits for a replica that has room, and for a bus that stays, ms: longer than an outage that runs survive. */
const TAKEN_WITHIN_MS = 30_000;

/** How long after an answer of nobody, or a ping in vain, somebody is asked again, ms. */
const ASK_AGAIN_MS = 100;

/**
 * Outcomes in the order of the entries, each when the caller wants the next: what it does with one may change what is asked then.
 * When the signal fires, entries are left over.
 */
export async function* askWithPolicy<A>(
  { signal, deps: { discovery, log } }: PolicyContext,
  entries: readonly PlanEntry[],
  ask: Ask<A>,
  { absentMs = ({ timeoutMs }) => timeoutMs }: PolicyOptions = {},
): AsyncGenerator<Outcome<A>, void, void> {
  /** Services that were waited for in vain: their other entries do not wait again. */
  const away = new Set<string>();
  let rest = [...entries];
  let alone = 0;

  const pause = () => delay(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  /** Elsewhere at once where that is possible: others may have room. */
  const askTaken = async (group: PlanEntry[], to: Target): Promise<Asked<A>> => {
    const { service = '', processor = '' } = group[0] ?? {};
    let giveUpAt = performance.now() + TAKEN_WITHIN_MS;
    let target = { ...to, replica: to.replica ?? discovery.preferred(processor) };
    for (let tries = 1; ; tries++) {
      const asked = await ask(group, target);
      if (!asked.notTaken || signal.aborted || away.has(service)) return asked;
      if (asked.notTaken === 'elsewhere' && performance.now() > giveUpAt) {
        away.add(service);
        return asked;
      }
      if (tries > 1) await pause();
      if (asked.notTaken === 'again') {
        // The bus was away and is back: how long that took is nobody's time.
        giveUpAt = performance.now() + TAKEN_WITHIN_MS;
        continue;
      }
      const found = await discovery.replicaThatAnswers(processor, signal, asked.replica);
      target = { ...to, replica: found === asked.replica ? to.replica : (found ?? to.replica) };
    }
  };
  /** Nobody there is not a failure before the first entry's time is up: a service may be on its way back. */
  const askPresent = async (group: PlanEntry[], to: Target): Promise<Asked<A>> => {
    const [first] = group;
    const service = first?.service ?? '';
    let giveUpAt: number | undefined;
    for (;;) {
      const asked = await askTaken(group, to);
      if (!asked.nobodyThere || away.has(service) || signal.aborted) return asked;
      // The wait starts with the first such answer, because the bus may have been away before it.
      if (giveUpAt === undefined) {
        const waitMs = first ? absentMs(first) : 0;
        giveUpAt = performance.now() + waitMs;
        log.warn({ service, entry: first?.entry, waitMs }, 'no replica of the service is running, waiting for one');
      }
      if (performance.now() + ASK_AGAIN_MS > giveUpAt) {
        away.add(service);
        return asked;
      }
      await pause();
    }
  };
  /** A replica for another attempt; looked for until `giveUpAt`, where the one before is gone. */
  const another = async (entry: PlanEntry, failed: string | undefined, giveUpAt: number) => {
    for (;;) {
      const found = await discovery.replicaThatAnswers(entry.processor, signal, failed);
      if (found !== undefined || signal.aborted || performance.now() > giveUpAt) return found;
      await pause();
      await discovery.refresh();
    }
  };
  /** @param failed how the entry's first attempt went, in a merged request */
  const askOne = async (entry: PlanEntry, failed?: Asked<A>): Promise<Outcome<A>> => {
    const started = performance.now();
    let last = failed;
    for (let attempts = failed ? 1 : 0; ; attempts++) {
      if (last) {
        const failure = last.failure?.verdict ?? nothingJudged;
        const over: Failed = { entry, failure, attempts, ms: performance.now() - started, replica: last.replica };
        if (!failure.retryable || attempts >= entry.attempts || signal.aborted || away.has(entry.service)) return over;
        const replica = await another(entry, last.replica, last.unanswered ? started + entry.timeoutMs : 0);
        if (replica === undefined) return over;
        const again = await askTaken([entry], { replica, lastTry: attempts + 1 >= entry.attempts });
        last = again.nobodyThere ? withFirst(again, failure) : { replica, ...again };
      } else last = await askPresent([entry], { lastTry: entry.attempts < 2 });
      if (last.answer !== undefined && !last.failure)
        return { entries: [entry], answer: last.answer, attempts: attempts + 1, replica: last.replica };
    }
  };

  while (rest.length > 0 && !signal.aborted) {
    const [group = []] = alone > 0 ? [rest.slice(0, 1)] : mergeAdjacent(rest, discovery);
    const [first] = group;
    if (!first) return;
    if (group.length === 1) {
      alone = Math.max(alone - 1, 0);
      rest = rest.slice(1);
      yield await askOne(first);
      continue;
    }
    const asked = await askPresent(group, { lastTry: false });
    const { answer, served, failure, replica } = asked;
    if (failure?.of === 'group' && !asked.nobodyThere) {
      alone = group.length;
      continue;
    }
    const failing = group[served];
    rest = rest.slice(served + (failure ? 1 : 0));
    if (answer !== undefined && served > 0) yield { entries: group.slice(0, served), answer, attempts: 1, replica };
    // It is asked alone for its other attempts, after what the caller made of the answers before it.
    if (failure && failing && !signal.aborted) yield await askOne(failing, asked);
  }
}

const nothingJudged = failureOf('processor-not-there', 'The replica judged nothing.');

/** Where the second attempt reaches nobody, the first one is what tells the reason. */
function withFirst<A>(again: Asked<A>, first: Failure): Asked<A> {
  if (!again.failure) return again;
  const { verdict, of } = again.failure;
  const message = `${verdict.message} The attempt before: ${first.code}: ${first.message}`;
  return { ...again, failure: { verdict: { ...verdict, message }, of } };
}
