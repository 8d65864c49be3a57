// Decides when a route to a model (a provider, its key and a model) is not asked for a while. Pure. A closed circuit is counted by each
// orchestrator for itself; an open one is shared by all of them, and one leased call at a time tries whether the route works again.
import { failureCauseSchema, storedVersionSchema, timings, type FailureCause } from '@millrace/contracts';
import { z } from 'zod';

/** Calls are counted for this long, ms. */
const WINDOW_MS = 30_000;
/** A circuit opens after so many failures in a window, if they are this share of its calls. */
const MIN_FAILURES = 3;
const MIN_SHARE = 0.5;
/** An open circuit doubles its time with each failed try, at most to this multiple of the first time. */
const MAX_FACTOR = 6;
/** Multiple of the first time for a refused key or an exhausted account. */
const UNAUTHORIZED_FACTOR = 12;
/** Bounds the time that a provider requests, ms. */
const MAX_REQUESTED_MS = 600_000;
/** A requested time below this causes a pause of the call alone, ms. */
const MIN_REQUESTED_MS = 5_000;
/** The lease of a try without a result ends after this, ms. */
const LEASE_MS = 30_000;

/** Causes in the request, which say nothing about the route. */
const OF_REQUEST: ReadonlySet<FailureCause> = new Set(['too-long', 'refused', 'invalid', 'internal']);

const leaseSchema = z.object({ owner: z.string(), until: z.number() });
const openSchema = z.object({
  v: storedVersionSchema,
  state: z.literal('open'),
  cause: failureCauseSchema,
  opens: z.number().int().min(1).describe('times that it has opened without a success'),
  until: z.number().describe('ms since 1970'),
  lease: leaseSchema.optional().describe('of the call that tries the route'),
});
export const circuitSchema = z.discriminatedUnion('state', [
  z.object({ v: storedVersionSchema, state: z.literal('closed') }),
  openSchema,
]);
export type Circuit = z.infer<typeof circuitSchema>;
export const CLOSED: Circuit = { state: 'closed' };

/** Calls of one orchestrator since `since`, ms since 1970. */
export type RouteCounts = { since: number; succeeded: number; failed: number };

/** `retryAt`: earliest time of the next call as the provider requests it, ms since 1970. */
export type RouteFailure = { cause: FailureCause; retryAt?: number | undefined };

/** Returns the counts of the current window; those of a past one begin again. */
export const readCounts = (counts: RouteCounts | undefined, now: number): RouteCounts =>
  counts && now - counts.since < WINDOW_MS ? counts : { since: now, succeeded: 0, failed: 0 };

export function countCall(counts: RouteCounts | undefined, isFailure: boolean, now: number): RouteCounts {
  const current = readCounts(counts, now);
  const { succeeded, failed } = current;
  return isFailure ? { ...current, failed: failed + 1 } : { ...current, succeeded: succeeded + 1 };
}

export const isOfRoute = ({ cause }: RouteFailure): boolean => !OF_REQUEST.has(cause);

/** @param counts with the failure. @returns the circuit after a failed call; the same one if nothing changes */
export function failCircuit(
  circuit: Circuit,
  failure: RouteFailure,
  counts: RouteCounts,
  owner: string,
  now: number,
): Circuit {
  if (!isOfRoute(failure)) return releaseLease(circuit, owner);
  const isOpen = circuit.state === 'open';
  // A call that began before the circuit opened changes nothing.
  if (isOpen && circuit.lease?.owner !== owner) return circuit;
  const { cause, retryAt = 0 } = failure;
  const requestedMs = Math.min(retryAt - now, MAX_REQUESTED_MS);
  const isForced = cause === 'unauthorized' || requestedMs >= MIN_REQUESTED_MS;
  const isBad = counts.failed >= MIN_FAILURES && counts.failed >= (counts.failed + counts.succeeded) * MIN_SHARE;
  if (!isOpen && !isForced && !isBad) return circuit;
  const opens = isOpen ? circuit.opens + 1 : 1;
  const factor = cause === 'unauthorized' ? UNAUTHORIZED_FACTOR : Math.min(2 ** (opens - 1), MAX_FACTOR);
  return { state: 'open', cause, opens, until: now + Math.max(timings.circuitOpenMs * factor, requestedMs) };
}

/** @returns the circuit after a call that succeeded */
export function closeCircuit(circuit: Circuit, owner: string): Circuit {
  return circuit.state === 'open' && circuit.lease?.owner === owner ? CLOSED : circuit;
}

/** The call ended without a result for the route: another one may try it at once. */
export function releaseLease(circuit: Circuit, owner: string): Circuit {
  if (circuit.state !== 'open' || circuit.lease?.owner !== owner) return circuit;
  const { lease: _, ...open } = circuit;
  return open;
}

/** Returns the time until which the route must not be asked, ms since 1970; undefined if it may be asked now. */
export function readOpenUntil(circuit: Circuit, now: number): number | undefined {
  if (circuit.state === 'closed') return undefined;
  const until = Math.max(circuit.until, circuit.lease?.until ?? 0);
  return until > now ? until : undefined;
}

/** Returns the circuit with a lease for the next call, or undefined if the call needs none. */
export function takeLease(circuit: Circuit, owner: string, now: number): Circuit | undefined {
  return circuit.state === 'open' ? { ...circuit, lease: { owner, until: now + LEASE_MS } } : undefined;
}
