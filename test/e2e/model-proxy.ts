// Records the requests of the orchestrator to the model's provider, in front of dev-model.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestStack } from '@millrace/testkit';
import { afterAll, beforeAll } from 'vitest';

export type ModelProxy = {
  /** Bodies of the requests, which a test may empty. */
  bodies: unknown[];
  /** Starts one more orchestrator behind the proxy. */
  startOrchestrator(): Promise<void>;
  /** Starts one more replica of a service behind the proxy. */
  startService(service: string, env?: Record<string, string>): Promise<void>;
};

/** Starts the orchestrator of the stack behind a proxy. */
export function useModelProxy(stack: TestStack): ModelProxy {
  const bodies: unknown[] = [];
  let proxy: Server;

  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await json(request);
    bodies.push(body);
    const { 'x-client-request-id': id = '' } = request.headers;
    const answer = await fetch(`${stack.modelUrl}${request.url ?? ''}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-client-request-id': String(id) },
      body: JSON.stringify(body),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    for await (const part of answer.body ?? []) if (!response.destroyed) response.write(part);
    response.end();
  }

  async function startService(service: string, env: Record<string, string> = {}): Promise<void> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    const { port } = proxy.address() as AddressInfo;
    await stack.start(service, { OPENAI_BASE_URL: `http://127.0.0.1:${port}`, ...env });
  }
  const startOrchestrator = () => startService('orchestrator');

  beforeAll(async () => {
    proxy = createServer((request, response) => void passOn(request, response)).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    await startOrchestrator();
  }, 120_000);
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { bodies, startOrchestrator, startService };
}
