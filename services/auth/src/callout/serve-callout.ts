// Serves the auth callout: answers NATS, and ends the connections of revoked keys.
import { answerServer, type Bus } from '@millrace/bus';
import { loggedError } from '@millrace/contracts';
import { CALLOUT_SUBJECT } from '@millrace/identity';
import type { Refused, VerifyCredential } from '../verify-credential.ts';
import { answerCallout } from './answer-callout.ts';
import { readSigner, type CalloutFiles } from './callout-config.ts';
import { nameKeyUser, readKeyUser } from './describe-user.ts';
import { createConnectionEnder } from './end-connections.ts';

/** Connections that are authenticated at once; NATS refuses the others after 2 s, and their clients try again. */
const MAX_CALLOUTS = 256;

export type Callout = {
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
  reportRefusal: (refused: Refused) => void;
};

/** @throws config-invalid */
export function serveCallout({ bus, system, files, verify, isKnownKey, reportRefusal }: CalloutParts): Callout {
  let signer = readSigner(files);
  const ender = createConnectionEnder(system);
  const { subjects } = bus;
  const options = { subjects, signer: () => signer, verify, reportRefusal };
  const answering = answerServer(bus, {
    subject: CALLOUT_SUBJECT,
    queue: 'auth-callout',
    maxInFlight: MAX_CALLOUTS,
    handle: (request) => answerCallout(request, options),
  });
  const endUnknownKeys = () =>
    void ender
      .endRefused(async (user) => {
        const keyId = readKeyUser(user);
        return keyId !== undefined && !(await isKnownKey(keyId));
      })
      .catch((error: unknown) => bus.log.error(loggedError(error), 'listing the connections of NATS failed'));
  // NATS has restarted: the keys of the callout may be new ones, and a revocation may have been missed.
  const forget = system.onReconnect(() => {
    try {
      signer = readSigner(files);
    } catch (error) {
      bus.log.error(loggedError(error), 'reading the keys of the callout failed; the earlier ones remain');
    }
    endUnknownKeys();
  });
  endUnknownKeys();
  return {
    endKey: (keyId) => ender.end(nameKeyUser(keyId)),
    async drain(graceMs) {
      forget();
      ender.stop();
      await answering.drain(graceMs);
    },
  };
}
