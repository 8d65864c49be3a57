// Classifies a request that no replica accepted, which is not a failure: the replica is full or stopped, or the
// connection broke during the request.
import { isToken, type ErrorCode } from '@millrace/contracts';
import { isServerAnswering } from '@millrace/bus';
import type { Run } from '../state/run-context.ts';
import type { CallAnswer } from './ask-with-policy.ts';
import { waitForBus } from './wait-for-bus.ts';

const FULL: readonly ErrorCode[] = ['replica-busy', 'too-many-requests'];

/** An available server answers within a millisecond, a busy one within some. */
const PONG_WITHIN_MS = 500;

export type MissedRequest = { code: ErrorCode; path?: string | undefined };
export type AskedWhen = {
  /** Number of connections made so far when the request was sent. */
  connections: number;
  /** The watch has detected a stopped replica. */
  isSilent: boolean;
};

/** Returns undefined if the request failed. If the bus is unavailable, resolves after the reconnect. */
export async function classifyUnaccepted(
  run: Run,
  { code, path }: MissedRequest,
  { connections, isSilent }: AskedWhen,
): Promise<Pick<CallAnswer<never>, 'notTaken' | 'replica'> | undefined> {
  const { bus } = run.deps.access;
  // A full replica names itself.
  if (FULL.includes(code))
    return { notTaken: 'elsewhere', ...(path !== undefined && isToken(path) && { replica: path }) };
  if (run.signal.aborted) return undefined;
  if (code === 'nobody-there') return undefined;
  if (isSilent) return { notTaken: 'elsewhere' };
  const isSame = bus.countConnections() === connections && (await isServerAnswering(bus, PONG_WITHIN_MS));
  if (isSame) return undefined;
  return (await waitForBus(bus, run.signal)) ? { notTaken: 'again' } : undefined;
}
