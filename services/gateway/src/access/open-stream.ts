// Opens the place of an answer that takes time. Each place counts against the limit of its account, and ends with its
// client and with its credential.
import { MillraceError } from '@millrace/contracts';
import type { Access } from './access.ts';
import { watchCredential } from './watch-credential.ts';
import type { AccessContext } from './access-context.ts';

export type StreamCall = { access: Access; request: Pick<Request, 'headers' | 'signal'>; context: AccessContext };
export type OpenedStream = {
  /** Fires when the stream has no reader any more; with an error as reason if its credential has ended. */
  left: AbortSignal;
  /** Frees the place and stops reading. Idempotent. */
  close(): void;
};

/**
 * Opens the place of a stream that the client can rejoin: when the gateway drains, the stream ends, and the client
 * rejoins at another one.
 * @throws limit-exceeded
 */
export function openStream({ access, request, context }: StreamCall): OpenedStream {
  const free = context.limits.openStream(access);
  const leaving = new AbortController();
  const forget = watchCredential(access.identity, context, () => leaving.abort(createEndedCredentialError()));
  return {
    left: AbortSignal.any([leaving.signal, request.signal, context.draining]),
    close() {
      leaving.abort();
      forget();
      free();
    },
  };
}

/** Returns the error if the credential ended the stream; undefined if its client left, or the gateway drains. */
export const readRefusal = ({ reason }: AbortSignal): MillraceError | undefined =>
  MillraceError.isInstance(reason) ? reason : undefined;

const createEndedCredentialError = (): MillraceError =>
  new MillraceError('credentials-refused', 'The credential ended during the request.');

export type OwnedStream = {
  /** Fires when the client has disconnected or its credential has ended: the run is cancelled. */
  clientClosed: AbortSignal;
  /** Frees the place, and cancels a run that has not ended. Idempotent. */
  close(): void;
  /** @throws credentials-refused if the credential has ended */
  checkCredential(): void;
};

/**
 * Opens the place of a run that ends with its client. A gateway that drains closes connections itself and cancels
 * nothing.
 * @param disconnected fires when the client has disconnected
 * @throws limit-exceeded
 */
export function openOwnedRun(access: Access, disconnected: AbortSignal, context: AccessContext): OwnedStream {
  const free = context.limits.openStream(access);
  const clientClosed = new AbortController();
  let isRefused = false;
  const forget = watchCredential(access.identity, context, () => {
    isRefused = true;
    clientClosed.abort(createEndedCredentialError());
  });
  const leave = () => {
    if (!context.draining.aborted) clientClosed.abort();
  };
  if (disconnected.aborted) leave();
  disconnected.addEventListener('abort', leave, { once: true });
  return {
    clientClosed: clientClosed.signal,
    close() {
      leave();
      disconnected.removeEventListener('abort', leave);
      forget();
      free();
    },
    checkCredential() {
      if (isRefused) throw createEndedCredentialError();
    },
  };
}
