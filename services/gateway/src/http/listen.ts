// Serves an application on a port. Closing it refuses new connections, waits for open answers, and cuts them at the
// end of the grace period.
import { once } from 'node:events';
import { createServer, ServerResponse, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { explainListenFailure } from '@millrace/service';
import type { Hono } from 'hono';
import { sendEvents } from './event-stream.ts';
import { watchResponseEnd } from './response-end.ts';
import { closeStalledSockets, type StalledOptions } from './stalled-sockets.ts';

export type ListeningServer = {
  url: string;
  port: number;
  /** Waits `graceMs` for open answers. */
  close(graceMs: number): Promise<void>;
};
type ListenOptions = Pick<StalledOptions, 'onStalled' | 'onRefused'> & {
  port: number;
  host: string;
  maxConnections: number;
  onError: (error: unknown) => void;
  timeouts?: Timeouts;
};

/** Slow senders and readers must not keep connections. */
type Timeouts = {
  /** Time for the headers of a request, from its first byte or the opening of the connection, ms. */
  headersMs: number;
  /** Time for a whole request, ms. */
  requestMs: number;
  /** Interval in which both are checked, ms. */
  checkMs: number;
  /** Time for which an idle connection is kept, ms: longer than the 60 s of most load balancers, which would otherwise send a request to a connection that closes. */
  idleMs: number;
  /** Time in which a client has to read a part of a write, ms. */
  stalledMs: number;
};
const TIMEOUTS: Timeouts = {
  headersMs: 20_000,
  requestMs: 120_000,
  checkMs: 5_000,
  idleMs: 65_000,
  stalledMs: 60_000,
};

/** @throws config-invalid for an address that this process cannot listen on */
export async function listenHttp(
  app: Hono,
  { port, host, maxConnections, onError, onStalled, onRefused, timeouts = TIMEOUTS }: ListenOptions,
): Promise<ListeningServer> {
  const listener = getRequestListener(
    async (request, bindings) => {
      const response = await app.fetch(request, bindings);
      const { outgoing } = bindings;
      if (!(outgoing instanceof ServerResponse)) return response;
      watchResponseEnd(response, outgoing);
      return sendEvents(response, outgoing) ? RESPONSE_ALREADY_SENT : response;
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      keepAliveTimeout: timeouts.idleMs,
    },
    (incoming, outgoing) => {
      // A connection that is kept alive would keep a closing server open until its client closes it.
      outgoing.once('close', () => {
        if (!server.listening) setImmediate(() => server.closeIdleConnections());
      });
      listener(incoming, outgoing).catch((error: unknown) => {
        onError(error);
        outgoing.destroy();
      });
    },
  );
  server.maxConnections = maxConnections;
  closeStalledSockets(server, { stalledMs: timeouts.stalledMs, onStalled, onRefused });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw explainListenFailure(error, { host, port, hostVariable: 'GATEWAY_HOST', portVariable: 'GATEWAY_PORT' });
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens has an AddressInfo
  const bound = (server.address() as AddressInfo).port;
  const authority = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${authority}:${bound}`, port: bound, close: (graceMs) => closeServer(server, graceMs) };
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  try {
    await closed;
  } finally {
    clearTimeout(cut);
  }
}
