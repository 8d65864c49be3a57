// A proxy between both sides and the model that records the requests of a run by their X-Client-Request-Id
// (`<run>.<n>`).
import { createServer } from 'node:http';
import { once } from 'node:events';

export type ModelProxy = {
  /** With /v1. */
  url: string;
  /** Bodies of a run's calls, in order. */
  listSent(run: string): unknown[];
  close(): Promise<void>;
};

export async function startModelProxy(modelUrl: string): Promise<ModelProxy> {
  const bodies = new Map<string, unknown[]>();
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const id = incoming.headers['x-client-request-id'];
    if (typeof id === 'string') {
      const run = id.slice(0, id.lastIndexOf('.'));
      bodies.set(run, [...(bodies.get(run) ?? []), JSON.parse(body.toString())]);
    }
    const path = (incoming.url ?? '').replace(/^\/v1/, '');
    const answer = await fetch(`${modelUrl}${path}`, {
      method: incoming.method ?? 'POST',
      headers: { 'content-type': 'application/json', ...(typeof id === 'string' && { 'x-client-request-id': id }) },
      body,
    });
    outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    for await (const piece of answer.body ?? []) outgoing.write(piece);
    outgoing.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy listens on no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    listSent: (run) => bodies.get(run) ?? [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
