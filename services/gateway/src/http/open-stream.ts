// Opens the place of a stream: it ends with its client, or when the gateway drains, so that the client rejoins at
// another one.
import type { Access } from '../access/access.ts';
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
  return {
    left: AbortSignal.any([leaving.signal, request.signal, context.draining]),
    close() {
      leaving.abort();
      free();
    },
  };
}
