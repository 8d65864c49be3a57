// Runs a real HTTP or HTTPS server as an external guard. A test sets its answer.
import type { JsonValue } from '@millrace/contracts';
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { EndpointConfig } from '../endpoints/endpoint-config.ts';

type GuardRequest = { headers: IncomingMessage['headers']; url: string; body: z.output<typeof bodySchema> };
export type GuardAnswer = (request: GuardRequest, response: ServerResponse) => JsonValue | Promise<JsonValue> | void;

const bodySchema = z.looseObject({ texts: z.array(z.string()) });

export type GuardServer = {
  url: string;
  port: number;
  requests: GuardRequest[];
  /** Sets the answer: a value is sent as JSON with the status 200; otherwise the function writes the response. */
  answer(answer: GuardAnswer): void;
};

/** Runs until the test has finished. @param tls absent: HTTP */
export async function startGuardServer(tls?: { key: string; cert: string }): Promise<GuardServer> {
  const requests: GuardRequest[] = [];
  let answer: GuardAnswer = () => ({ action: 'allow' });
  const handle: RequestListener = (incoming, outgoing) => void serve(incoming, outgoing);
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = bodySchema.parse(JSON.parse(await text(incoming)));
    const request = { headers: incoming.headers, url: incoming.url ?? '', body };
    requests.push(request);
    const value = await answer(request, outgoing);
    if (value !== undefined) outgoing.end(JSON.stringify(value));
  }
  const server = tls ? createHttpsServer(tls, handle) : createHttpServer(handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const { port } = address;
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}/judge`;
  return { url, port, requests, answer: (next) => void (answer = next) };
}

/** Configures an endpoint as the file of HTTP_GUARDS does. Its private address is allowed. */
export const makeEndpointConfig = (url: string, more: Partial<EndpointConfig> = {}): EndpointConfig => ({
  url,
  format: 'millrace',
  headers: {},
  allowPrivate: true,
  timeoutMs: 2_000,
  maxRequestBytes: 65_536,
  maxResponseBytes: 65_536,
  connections: 4,
  breaker: { failures: 100, openMs: 1_000 },
  params: {},
  ...more,
});
