// Opens the place of a stream: it ends with its client and with its credential, or when the gateway drains, so that the
// client rejoins at another one.
import type { Access } from '../access/access.ts';
import { watchCredential } from '../access/watch-credential.ts';
import type { GatewayContext } from '../gateway-context.ts';

export type StreamCall = { access: Access; request: Request; context: GatewayContext };
export type OpenedStream = {
  /** Fires when the stream has no reader any more. */
  left: AbortSignal;
  /** Frees the place and stops reading. Idempotent. */
  close(): void;
};

/** @throws limit-exceeded */
export function openStream({ access, request, context }: StreamCall): OpenedStream {
  const free = context.limits.openStream(access);
  const leaving = new AbortController();
  const forget = watchCredential(access.identity, context, () => leaving.abort());
  return {
    left: AbortSignal.any([leaving.signal, request.signal, context.draining]),
    close() {
      leaving.abort();
      forget();
      free();
    },
  };
}
