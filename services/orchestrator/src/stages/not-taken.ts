// A request that nobody has taken up, which is nobody's failure: the replica is full or stopped, or the connection broke while it was
// under way.
import { isToken, type ErrorCode } from '@millrace/contracts';
import { serverAnswers } from '@millrace/bus';
import type { Run } from '../state/run-context.ts';
import type { Asked } from './ask-with-policy.ts';
import { reconnected } from './reconnected.ts';

const FULL: readonly ErrorCode[] = ['replica-busy', 'too-many-requests'];

/** A server that is there answers in a millisecond, one that is busy in some. */
const PONG_WITHIN_MS = 500;

export type Missed = { code: ErrorCode; path?: string | undefined };
export type AskedWhen = {
  /** How often the connection had been made then. */
  connections: number;
  /** The watch has found that a replica is stopped. */
  isSilent: boolean;
};

/** undefined: it failed. Resolves where the bus is away when it is back. */
export async function notTaken(
  run: Run,
  { code, path }: Missed,
  { connections, isSilent }: AskedWhen,
): Promise<Pick<Asked<never>, 'notTaken' | 'replica'> | undefined> {
  const { bus } = run.deps.access;
  // A full replica says who it is.
  if (FULL.includes(code))
    return { notTaken: 'elsewhere', ...(path !== undefined && isToken(path) && { replica: path }) };
  if (run.signal.aborted) return undefined;
  if (code === 'nobody-there') return undefined;
  if (isSilent) return { notTaken: 'elsewhere' };
  const isSame = bus.connections() === connections && (await serverAnswers(bus, PONG_WITHIN_MS));
  if (isSame) return undefined;
  return (await reconnected(bus, run.signal)) ? { notTaken: 'again' } : undefined;
}
