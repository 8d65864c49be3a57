// GET /healthz: 200 while the process can work, 503 with the reason while it cannot (starting, draining, no NATS, no permission).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PartProblem } from '@millrace/contracts';
import { explainListenFailure } from './listen-failure.ts';

/** Undefined: healthy. Otherwise why not. */
export type HealthCheck = () => string | undefined;
/** Returns the problems of parts without which the process works, such as a server of others. */
export type PartsCheck = () => readonly PartProblem[];
export type HealthServer = { port: number; close(): Promise<void> };

/** @throws config-invalid for an address that this process cannot listen on */
export async function serveHealth(
  port: number,
  host: string,
  check: HealthCheck,
  listProblems: PartsCheck = () => [],
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    if (request.url !== '/healthz') return void response.writeHead(404).end();
    const problem = check();
    response.writeHead(problem === undefined ? 200 : 503, { 'content-type': 'application/json' });
    const problems = listProblems();
    const parts = problems.length > 0 && { problems };
    const state = problem === undefined ? { status: 'ok' } : { status: 'unavailable', problem };
    response.end(JSON.stringify({ ...state, ...parts }));
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
