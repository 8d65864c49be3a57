// Runs the service's client against an HTTPS server that requires an API key, in a process of its own: Node.js reads
// NODE_EXTRA_CA_CERTS at its start. The server forwards to the Qdrant of the run, if there is one.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findQdrant } from '@millrace/testkit';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const KEY = 'key-of-tests';
const qdrant = findQdrant();
const folder = mkdtempSync(join(tmpdir(), 'millrace-qdrant-tls-'));
const caFile = join(folder, 'ca.pem');
const names = [{ type: 2 as const, value: 'localhost' }];
const certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
  extensions: [{ name: 'subjectAltName', altNames: names }],
});
const server = createServer({ key: certificate.private, cert: certificate.cert }, answer);
let url = '';
beforeAll(async () => {
  writeFileSync(caFile, certificate.cert);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `https://localhost:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function answer(asked: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  if (asked.headers['api-key'] !== KEY) {
    response.statusCode = 401;
    response.end(JSON.stringify({ status: { error: 'Must provide an API key' }, time: 0 }));
  } else if (qdrant) {
    const { host: _, ...headers } = { ...asked.headers, 'api-key': qdrant.QDRANT_API_KEY ?? KEY };
    const forwarded = request(
      new URL(asked.url ?? '/', qdrant.QDRANT_URL),
      { method: asked.method, headers },
      (got) => {
        response.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(response);
      },
    );
    asked.pipe(forwarded);
  } else response.end(JSON.stringify({ result: { collections: [] }, status: 'ok', time: 0 }));
}

const program = join(import.meta.dirname, '../../testing/list-collections-main.ts');
async function listCollections(env: Record<string, string>): Promise<string> {
  const { PATH = '' } = process.env;
  const child = promisify(execFile)(process.execPath, [program], { env: { PATH, QDRANT_URL: url, ...env } });
  return (await child).stdout.trim();
}

describe('a Qdrant over HTTPS with an API key', () => {
  test('serves the client with the key, if Node.js trusts its authority', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, `${KEY}\n`);
    expect(await listCollections({ NODE_EXTRA_CA_CERTS: caFile, QDRANT_API_KEY_FILE: file })).toBe('ok');
    expect(await listCollections({ NODE_EXTRA_CA_CERTS: caFile, QDRANT_API_KEY: KEY })).toBe('ok');
  });

  test('refuses another key and none, and the error does not contain the key', async () => {
    for (const env of [{ QDRANT_API_KEY: 'another-key' }, {}])
      expect(await listCollections({ NODE_EXTRA_CA_CERTS: caFile, ...env })).toMatch(
        /^store-unavailable: (?!.*another-key).*HTTP 401/,
      );
  });

  test('is refused if its authority is unknown', async () => {
    expect(await listCollections({ QDRANT_API_KEY: KEY })).toMatch(/^store-unavailable: .*certificate/);
  });
});
