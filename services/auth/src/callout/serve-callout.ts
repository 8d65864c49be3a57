// Serves the auth callout: answers NATS, and ends the connections of revoked keys.
import { setTimeout as delay } from 'node:timers/promises';
import { answerServer, type Bus } from '@millrace/bus';
import { toLoggedError } from '@millrace/contracts';
import { CALLOUT_SUBJECT } from '@millrace/identity';
import type { KeyPair } from '@nats-io/nkeys';
import type { RefusedCredential, VerifyCredential } from '../verify-credential.ts';
import { isBusToken, readBusToken } from '../tokens/bus-token.ts';
import { answerCallout } from './answer-callout.ts';
import { readSigner, type CalloutFiles } from './callout-config.ts';
import { nameKeyUser, readKeyUser } from './describe-user.ts';
import { createConnectionEnder } from './end-connections.ts';

/** Connections that are authenticated at once; NATS refuses the others after 2 s, and their clients try again. */
const MAX_CALLOUTS = 256;
const RETRY_MS = 1_000;

export type Callout = {
  /** Signs users of NATS, and bus tokens. */
  getIssuer(): KeyPair;
  /** Ends the connections of a key. */
  endKey(keyId: string): void;
  drain(graceMs: number): Promise<void>;
};

export type CalloutParts = {
  bus: Bus;
  /** Connection in the system account. */
  system: Bus;
  files: CalloutFiles;
  verify: VerifyCredential;
  /** Returns true if the key exists and has not expired. */
  isKnownKey: (keyId: string) => Promise<boolean>;
  reportRefusal: (refused: RefusedCredential) => void;
};

/** @throws config-invalid */
export function serveCallout({ bus, system, files, verify, isKnownKey, reportRefusal }: CalloutParts): Callout {
  let signer = readSigner(files);
  const ender = createConnectionEnder(system);
  const { subjects } = bus;
  const isUnknown = async (keyId: string | undefined) => keyId !== undefined && !(await isKnownKey(keyId));
  const verifyForBus: VerifyCredential = async (credential) => {
    if (!isBusToken(credential)) return verify(credential);
    const read = readBusToken(credential, signer.issuer, Date.now());
    if ('refused' in read || !(await isUnknown(read.ok.keyId))) return read;
    return { refused: 'the key of the bus token is unknown or revoked' };
  };
  const options = { subjects, getSigner: () => signer, verify: verifyForBus, reportRefusal };
  const answering = answerServer(bus, {
    subject: CALLOUT_SUBJECT,
    queue: 'auth-callout',
    maxInFlight: MAX_CALLOUTS,
    handle: (request) => answerCallout(request, options),
  });
  const draining = new AbortController();
  /** A connection of a revoked key would remain for a day if a single failure ended the search. */
  const endUnknownKeys = async () => {
    while (!draining.signal.aborted) {
      try {
        return await ender.endRefused((user) => isUnknown(readKeyUser(user)));
      } catch (error) {
        bus.log.error(toLoggedError(error), 'ending the connections of unknown keys failed; it is repeated');
        await delay(RETRY_MS);
      }
    }
  };
  // NATS has restarted: the keys of the callout may be new ones, and a revocation may have been missed.
  const forget = system.onReconnect(() => {
    try {
      signer = readSigner(files);
    } catch (error) {
      bus.log.error(toLoggedError(error), 'reading the keys of the callout failed; the earlier ones remain');
    }
    void endUnknownKeys();
  });
  void endUnknownKeys();
  return {
    getIssuer: () => signer.issuer,
    endKey: (keyId) => ender.end(nameKeyUser(keyId)),
    async drain(graceMs) {
      draining.abort();
      forget();
      ender.stop();
      await answering.drain(graceMs);
    },
  };
}
