// Sends a request of the AI SDK over node:http: the body of its answer is read by events, without a web stream for each read.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

export type Fetch = typeof globalThis.fetch;
type Url = Parameters<Fetch>[0];

/**
 * Resolves with the answer's head. Sends the request once more if the server had closed the idle connection that carried it.
 * @throws TypeError as `fetch` does if no answer arrives, with the cause; the signal's reason if it fires
 */
export async function post(url: Url, init: RequestInit = {}): Promise<IncomingMessage> {
  try {
    return await send(url, init).catch((error: unknown) => {
      if (!(error instanceof ClosedConnection) || init.signal?.aborted) throw error;
      return send(url, init, false);
    });
  } catch (cause) {
    throw init.signal?.aborted ? init.signal.reason : new TypeError('fetch failed', { cause });
  }
}

class ClosedConnection extends Error {}

/** @param agent false: over a connection of its own */
function send(url: Url, init: RequestInit, agent?: false): Promise<IncomingMessage> {
  const { signal, body } = init;
  const address = new URL(url instanceof Request ? url.url : url);
  const request = address.protocol === 'https:' ? httpsRequest : httpRequest;
  // An answer is read as it arrives, so it must not be compressed.
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' };
  const options = {
    method: init.method ?? 'GET',
    headers,
    ...(signal && { signal }),
    ...(agent === false && { agent }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(address, options, resolve);
    outgoing.on('error', (error) => {
      const isClosed = outgoing.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      reject(isClosed ? new ClosedConnection('the connection was closed', { cause: error }) : error);
    });
    outgoing.end(typeof body === 'string' ? body : undefined);
  });
}

/** The answer as `fetch` gives it. @param body in place of the answer's own */
export function toResponse(incoming: IncomingMessage, body?: ReadableStream<Uint8Array>): Response {
  const { statusCode: status = 500, statusMessage: statusText = '' } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, [value ?? ''].flat().join(', '));
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- node's type of the same stream
  const toWebStream = () => Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  return new Response(hasBody ? (body ?? toWebStream()) : null, { status, statusText, headers });
}
