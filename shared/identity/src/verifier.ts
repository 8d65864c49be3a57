// Verifies credentials for a service that receives them from its callers: asks auth, and keeps its answers for a short
// time. A revoked key ends at once, because auth announces it; without a connection nothing kept counts.
import { createHash } from 'node:crypto';
import {
  MillraceError,
  fromWireError,
  revokedKeySchema,
  verifyReplySchema,
  verifyRequestSchema,
  type Identity,
  setBounded,
} from '@millrace/contracts';
import { listen, request, type Bus } from '@millrace/bus';

export type Verifier = {
  /**
   * Returns the identity of an API key or a JWT.
   * @throws credentials-refused; too-many-requests above 1,000 concurrent verifications; nobody-there, timeout, bus-unreachable or key-set-unavailable if auth cannot decide
   */
  verify(credential: string): Promise<Identity>;
  /** Calls the listener with the id of each key that auth refuses from now on. Returns a function that removes it. */
  onRevoked(listener: (keyId: string) => void): () => void;
  stop(): void;
};

export type VerifierOptions = {
  /** Maximum age of a kept answer, ms. At most 30,000. */
  ttlMs?: number;
  /** Maximum number of kept answers: the oldest one leaves. */
  maxKept?: number;
};

const MAX_TTL_MS = 30_000;
const MAX_KEPT = 10_000;
const TIMEOUT_MS = 5_000;
/** Credentials that are verified at the same time: a flood of invented ones must not fill the memory. */
const MAX_FLIGHTS = 1_000;
/** A stopped replica keeps its share of the requests: a repeated one reaches another replica. */
const REPEAT_EVERY_MS = 1_000;

type KeptIdentity = {
  identity: Identity;
  /** By performance.now(). */
  until: number;
  /** Number of the connection on which the answer arrived. */
  connection: number;
};
type Flight = { answer: Promise<Identity>; revoked: Set<string> };

export function createVerifier(bus: Bus, { ttlMs = MAX_TTL_MS, maxKept = MAX_KEPT }: VerifierOptions = {}): Verifier {
  const kept = new Map<string, KeptIdentity>();
  const flights = new Map<string, Flight>();
  const listeners = new Set<(keyId: string) => void>();
  const revocations = listen(bus, bus.subjects.revoked, revokedKeySchema, ({ keyId }) => {
    for (const [hash, { identity }] of kept) if (identity.keyId === keyId) kept.delete(hash);
    for (const { revoked } of flights.values()) revoked.add(keyId);
    for (const listener of listeners) listener(keyId);
  });
  const findKept = (hash: string): Identity | undefined => {
    const found = kept.get(hash);
    if (found && isFresh(found, bus)) return found.identity;
    kept.delete(hash);
    return undefined;
  };
  const ask = async (credential: string, hash: string, revoked: ReadonlySet<string>): Promise<Identity> => {
    const connection = bus.countConnections();
    const identity = await askAuth(bus, credential);
    // The announcement may have overtaken the answer.
    if (identity.keyId !== undefined && revoked.has(identity.keyId)) throw createRevokedError();
    setBounded(kept, hash, { identity, until: performance.now() + Math.min(ttlMs, MAX_TTL_MS), connection }, maxKept);
    return identity;
  };
  return {
    verify(credential) {
      const hash = createHash('sha256').update(credential).digest('base64');
      const found = findKept(hash);
      if (found) return Promise.resolve(found);
      const running = flights.get(hash);
      if (running) return running.answer;
      if (flights.size >= MAX_FLIGHTS) return Promise.reject(createBusyError());
      const revoked = new Set<string>();
      const answer = ask(credential, hash, revoked).finally(() => flights.delete(hash));
      flights.set(hash, { answer, revoked });
      return answer;
    },
    onRevoked(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => {
      kept.clear();
      revocations.stop();
    },
  };
}

/** An announcement that was published during a disconnection is lost, so answers of an earlier connection are too. */
function isFresh({ identity, until, connection }: KeptIdentity, bus: Bus): boolean {
  const { expiresAt } = identity;
  const isAlive = expiresAt === undefined || Date.parse(expiresAt) > Date.now();
  return isAlive && until > performance.now() && bus.hasConnection() && connection === bus.countConnections();
}

async function askAuth(bus: Bus, credential: string): Promise<Identity> {
  // A text that no credential can be is refused here, and never travels.
  const payload = verifyRequestSchema.safeParse({ credential });
  if (!payload.success) throw new MillraceError('credentials-refused', 'The API key or token is malformed.');
  const answer = await request(bus, {
    subject: bus.subjects.verify,
    payload: payload.data,
    reply: verifyReplySchema,
    timeoutMs: TIMEOUT_MS,
    repeatEveryMs: REPEAT_EVERY_MS,
  });
  if ('error' in answer) throw answer.error;
  if ('error' in answer.ok) throw fromWireError(answer.ok.error);
  return answer.ok.ok;
}

const createBusyError = (): MillraceError =>
  new MillraceError('too-many-requests', `${MAX_FLIGHTS} credentials are being verified.`, {
    retryAfterMs: REPEAT_EVERY_MS,
    remedy: 'Repeat the request later.',
  });

const createRevokedError = (): MillraceError =>
  new MillraceError('credentials-refused', 'The API key was revoked during the request.');
