// Serves an application on a port. Closing it refuses new connections, waits for open answers, and cuts them at the
// end of the grace period.
import { once } from 'node:events';
import { createServer, ServerResponse, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { MillraceError } from '@millrace/contracts';
import type { Hono } from 'hono';
import { sendEvents } from './event-stream.ts';
import { watchResponseEnd } from './response-end.ts';

export type HttpServer = {
  url: string;
  port: number;
  /** Waits `graceMs` for open answers. */
  close(graceMs: number): Promise<void>;
};
type ListenOptions = { port: number; host: string; onError: (error: unknown) => void };

/** Time for the headers of a request, ms: slow senders must not keep connections. */
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 120_000;

/** @throws config-invalid if the port is in use */
export async function listenHttp(app: Hono, { port, host, onError }: ListenOptions): Promise<HttpServer> {
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
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
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
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw describeFailure(error, host, port);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens has an AddressInfo
  const bound = (server.address() as AddressInfo).port;
  const authority = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${authority}:${bound}`, port: bound, close: (graceMs) => closeServer(server, graceMs) };
}

function describeFailure(error: unknown, host: string, port: number): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return error;
  return new MillraceError('config-invalid', `The port ${port} of ${host} is in use.`, {
    path: 'GATEWAY_PORT',
    remedy: 'Set GATEWAY_PORT to a free port, or stop the process that listens there.',
    cause: error,
  });
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
