// GET /healthz: 200 while the process can work, 503 with the reason while it cannot (starting, draining, no NATS, no permission).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { explainListenFailure } from './listen-failure.ts';

/** Undefined: healthy. Otherwise why not. */
export type HealthCheck = () => string | undefined;
export type HealthServer = { port: number; close(): Promise<void> };

/** @throws config-invalid for an address that this process cannot listen on */
export async function serveHealth(port: number, host: string, check: HealthCheck): Promise<HealthServer> {
  const server = createServer((request, response) => {
    if (request.url !== '/healthz') return void response.writeHead(404).end();
    const problem = check();
    response.writeHead(problem === undefined ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(problem === undefined ? { status: 'ok' } : { status: 'unavailable', problem }));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve)).catch(
    (error: unknown) => {
      throw explainListenFailure(error, { host, port, hostVariable: 'HEALTH_HOST', portVariable: 'HEALTH_PORT' });
    },
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens has an AddressInfo
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
