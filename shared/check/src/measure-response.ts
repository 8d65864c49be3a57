// Measures the response time of a service to a ping, which separates a slow machine from a processor that is too slow.
import { setTimeout as wait } from 'node:timers/promises';
import { gatherPings } from '@millrace/bus';
import type { ServedTarget } from './target.ts';

const PINGS = 9;
/** Pause before each ping, ms: pings in a row would all be answered in one slice of processor time. */
const PAUSE_MS = 50;
/** Maximum time for one answer, ms. */
const PING_MS = 5_000;
/** Time after which no further ping is sent, ms. */
const MEASURE_MS = 3_000;
/** Above this response time, the machine is busy, ms. */
const BUSY_MS = 20;
/** A time limit says nothing about a processor if it is less than this number of response times. */
const RESPONSES_IN_LIMIT = 10;

/**
 * Returns the median response time, ms. A ping costs a replica nothing, so the median is the time for which its
 * process and this one wait for a core. Returns undefined if the service does not answer.
 */
export async function measureResponse({
  bus,
  service,
}: Pick<ServedTarget, 'bus' | 'service'>): Promise<number | undefined> {
  const times: number[] = [];
  // The first answer may wait for the calls of an earlier rule.
  const until = performance.now() + MEASURE_MS;
  for (let count = 0; count <= PINGS && (times.length === 0 || performance.now() < until); count += 1) {
    await wait(PAUSE_MS);
    const sentAt = performance.now();
    const answers = await gatherPings(bus, service, { gatherMs: PING_MS, max: 1 });
    if (answers.length === 0) return undefined;
    if (count > 0) times.push(performance.now() - sentAt);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
}

export const isBusy = (responseMs: number | undefined): responseMs is number =>
  responseMs !== undefined && responseMs > BUSY_MS;

/** Returns whether the machine is too busy for a time limit, ms. */
export const isTooBusyFor = (limitMs: number, responseMs: number | undefined): responseMs is number =>
  responseMs !== undefined && responseMs * RESPONSES_IN_LIMIT > limitMs;
