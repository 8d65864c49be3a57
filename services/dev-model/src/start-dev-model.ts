// Serves dev-model on a port until it is closed.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { ModelServing } from './api/serve-model-call.ts';
import { createDevModel } from './app.ts';

export type DevModelAddress = ModelServing & {
  /** 0 selects a free port. */
  readonly port: number;
  /** Default: 127.0.0.1, because the server requires no key. */
  readonly host?: string;
};

export type RunningDevModel = {
  /** Without /v1: `OPENAI_BASE_URL` is this with /v1 after it. */
  readonly url: string;
  readonly port: number;
  /** Rejects new calls and finishes pending ones; cuts them after `closeTimeoutMs` (2,000). */
  readonly close: (options?: { readonly closeTimeoutMs?: number }) => Promise<void>;
};

const defaultCloseTimeoutMs = 2_000;

/** Rejects with the system's error and its code (EADDRINUSE) if the address is not available. */
export async function startDevModel({
  port,
  host = '127.0.0.1',
  ...serving
}: DevModelAddress): Promise<RunningDevModel> {
  const { log } = serving;
  // Keeps the process's own Request and Response, because other code can use them.
  const listener = getRequestListener(createDevModel(serving).fetch, { overrideGlobalObjects: false });
  const server = createServer((incoming, outgoing) => {
    // A connection kept alive after its last answer would keep a closing server open until its client closes it.
    outgoing.once('close', () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    listener(incoming, outgoing).catch((error: unknown) => {
      log.error({ err: error }, 'writing the answer failed');
      outgoing.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const boundPort = readPort(server);
  const authority = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${authority}:${boundPort}`,
    port: boundPort,
    close: ({ closeTimeoutMs = defaultCloseTimeoutMs } = {}) => closeServer(server, closeTimeoutMs),
  };
}

function readPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port');
  return address.port;
}

async function closeServer(server: Server, closeTimeoutMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
  try {
    await closed;
  } finally {
    clearTimeout(cut);
  }
}
