// The circuits of this orchestrator's routes: shared with all others in a watched bucket. While the bucket is away, the orchestrator's own
// changes apply to its own calls.
import { COMMON_VERSION } from '@millrace/contracts';
import { openBucketCopy, writeEntry, type BucketCopy, type BusLog, type JetStreamAccess } from '@millrace/bus';
import {
  CLOSED,
  circuitSchema,
  isOfRoute,
  countCall,
  readCounts,
  failCircuit,
  takeLease,
  readOpenUntil,
  releaseLease,
  closeCircuit,
  type Circuit,
  type RouteCounts,
  type RouteFailure,
} from './circuit.ts';

/** An entry without a change expires after this: longer than the longest open time. */
const ENTRY_TTL_SECONDS = 3_600;
/** A lease is taken without the bucket if the bucket does not answer within this, ms. */
const LEASE_TIMEOUT_MS = 1_000;

/** An own change that the bucket has not taken applies for this long, ms. */
const UNSAVED_MS = 60_000;

/** Routes whose calls are counted, the latest ones: a processor may choose any model. */
export const MAX_COUNTED_ROUTES = 1_000;

export type Circuits = {
  /** Returns the time until which the route must not be asked, ms since 1970. */
  readOpenUntil(route: string): number | undefined;
  /** Called before each call. Returns false if another call tries the route. */
  enter(route: string, owner: string): Promise<boolean>;
  recordSuccess(route: string, owner: string): void;
  recordFailure(route: string, owner: string, failure: RouteFailure): void;
  /** The call was abandoned. */
  release(route: string, owner: string): void;
  read(route: string): Circuit;
  /** Returns the calls of this orchestrator in the current window. */
  readCounts(route: string): Omit<RouteCounts, 'since'>;
  /** Reads the bucket again, after it was recreated. */
  reload(): Promise<void>;
  stop(): void;
};

type CircuitParts = { access: JetStreamAccess; log: Pick<BusLog, 'warn' | 'info'> };

export async function openCircuits({ access, log }: CircuitParts): Promise<Circuits> {
  const bucket = access.bus.names.circuits;
  const copy: BucketCopy<Circuit> = await openBucketCopy(access, bucket, circuitSchema);
  const counts = new Map<string, RouteCounts>();
  /** Own changes that the bucket does not have. */
  const unsaved = new Map<string, { circuit: Circuit; until: number }>();
  const { now } = access.clock;
  const count = (route: string, isFailure: boolean): RouteCounts => {
    const counted = countCall(counts.get(route), isFailure, now());
    counts.delete(route);
    counts.set(route, counted);
    const [oldest = route] = counts.keys();
    if (counts.size > MAX_COUNTED_ROUTES) counts.delete(oldest);
    return counted;
  };
  const read = (route: string): Circuit => {
    const own = unsaved.get(route);
    if (own && own.until <= now()) unsaved.delete(route);
    else if (own) return own.circuit;
    return copy.get(route)?.value ?? CLOSED;
  };

  /** The last write of each route: writes of one route follow each other, so that each knows the revision before it. */
  const turns = new Map<string, Promise<unknown>>();
  const save = async (route: string, circuit: Circuit): Promise<boolean> => {
    const expectedRevision = copy.get(route)?.revision;
    const options = { ttlSeconds: ENTRY_TTL_SECONDS, ...(expectedRevision !== undefined && { expectedRevision }) };
    try {
      const written = await writeEntry(access, bucket, route, { v: COMMON_VERSION, ...circuit }, options);
      if ('revision' in written) copy.put(route, { value: circuit, revision: written.revision });
      if (unsaved.get(route)?.circuit === circuit) unsaved.delete(route);
      return 'revision' in written;
    } catch (error) {
      log.warn({ route, error: String(error) }, 'a circuit is not shared: the bucket is away');
      return true;
    }
  };
  /** @returns false if another orchestrator has changed the circuit since */
  const write = (route: string, circuit: Circuit): Promise<boolean> => {
    unsaved.set(route, { circuit, until: now() + UNSAVED_MS });
    const turn = (turns.get(route) ?? Promise.resolve()).then(() => save(route, circuit));
    turns.set(route, turn);
    void turn.then(() => turns.get(route) === turn && turns.delete(route));
    return turn;
  };
  const change = (route: string, next: Circuit) => {
    const before = read(route);
    if (next === before) return;
    if (next.state !== before.state) log.info({ route, ...next }, `the circuit of a model is ${next.state}`);
    void write(route, next);
  };
  return {
    readOpenUntil: (route) => readOpenUntil(read(route), now()),
    async enter(route, owner) {
      const circuit = read(route);
      if (readOpenUntil(circuit, now()) !== undefined) return false;
      const leased = takeLease(circuit, owner, now());
      if (!leased) return true;
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, LEASE_TIMEOUT_MS, true).unref());
      return Promise.race([write(route, leased), late]);
    },
    recordSuccess(route, owner) {
      count(route, false);
      change(route, closeCircuit(read(route), owner));
    },
    recordFailure(route, owner, failure) {
      if (!isOfRoute(failure)) return change(route, releaseLease(read(route), owner));
      change(route, failCircuit(read(route), failure, count(route, true), owner, now()));
    },
    release: (route, owner) => change(route, releaseLease(read(route), owner)),
    read,
    readCounts: (route) => {
      const { succeeded, failed } = readCounts(counts.get(route), now());
      return { succeeded, failed };
    },
    reload: copy.reload,
    stop: copy.stop,
  };
}
