// Serves the stand-in on a port, and stops it again.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { DevModelLog } from './api/serve-model-call.ts';
import { createDevModel } from './app.ts';

export type DevModelAddress = {
  /** 0 lets the system pick one. */
  readonly port: number;
  /** 127.0.0.1 unless others must reach it: it asks nobody for a key. */
  readonly host?: string;
  readonly log: DevModelLog;
};

export type RunningDevModel = {
  /** Without /v1: `OPENAI_BASE_URL` is this with /v1 after it. */
  readonly url: string;
  readonly port: number;
  /** Refuses new calls and lets those under way end; after `closeTimeoutMs` (2 000) they are cut. */
  readonly close: (options?: { readonly closeTimeoutMs?: number }) => Promise<void>;
};

const defaultCloseTimeoutMs = 2_000;

/** Rejects with the system's error, its code kept (EADDRINUSE), when the address cannot be had. */
export async function startDevModel({ port, host = '127.0.0.1', log }: DevModelAddress): Promise<RunningDevModel> {
  // The process' own Request and Response stay as they are: others in it may use them.
  const listener = getRequestListener(createDevModel({ log }).fetch, { overrideGlobalObjects: false });
  const server = createServer((incoming, outgoing) => {
    // A connection kept alive after its last answer would hold a closing server open until its client lets go of it.
    outgoing.once('close', () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    listener(incoming, outgoing).catch((error: unknown) => {
      log.error({ err: error }, 'the answer could not be written');
      outgoing.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const boundPort = portOf(server);
  const authority = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${authority}:${boundPort}`,
    port: boundPort,
    close: ({ closeTimeoutMs = defaultCloseTimeoutMs } = {}) => closeServer(server, closeTimeoutMs),
  };
}

function portOf(server: Server): number {
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
