// Runs an HTTP server as an external guard for the tests of a file, and writes the file of HTTP_GUARDS that defines it:
// the endpoint "acme" in the format litellm, "own" in the format millrace.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';

/** Credential that the guard receives. */
export const GUARD_CREDENTIAL = 'Bearer credential-of-the-guard';

export type ExternalGuard = {
  /** Path of the file of HTTP_GUARDS. */
  readonly file: string;
  readonly requests: { body: string; authorization: string | undefined }[];
};

/** Call it before useStack. Blocks texts with "vile", replaces "Ada" by "A.", and fails for "outage". */
export function useExternalGuard(): ExternalGuard {
  const requests: ExternalGuard['requests'] = [];
  const folder = join(tmpdir(), `millrace-e2e-guards-${crypto.randomUUID()}`);
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await text(incoming);
      requests.push({ body, authorization: incoming.headers.authorization });
      if (body.includes('outage')) return outgoing.writeHead(503).end();
      return outgoing.end(JSON.stringify(incoming.url === '/own' ? { action: 'allow' } : judge(JSON.parse(body))));
    })();
  });
  let file = '';
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const dir = await mkdtemp(folder);
    file = join(dir, 'guards.json');
    const shared = { allowPrivate: true, headers: { authorization: GUARD_CREDENTIAL } };
    const endpoints = {
      acme: { url: `http://127.0.0.1:${port}/litellm`, format: 'litellm', ...shared },
      own: { url: `http://127.0.0.1:${port}/own`, format: 'millrace', ...shared },
    };
    await writeFile(file, JSON.stringify({ endpoints }));
    return async () => rm(dir, { recursive: true });
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    get file() {
      return file;
    },
    requests,
  };
}

function judge({ texts }: { texts: string[] }): object {
  if (texts.some((one) => one.includes('vile'))) return { action: 'BLOCKED', blocked_reason: 'It is vile.' };
  if (!texts.some((one) => one.includes('Ada'))) return { action: 'NONE', texts: null, blocked_reason: null };
  return { action: 'GUARDRAIL_INTERVENED', texts: texts.map((one) => one.replaceAll('Ada', 'A.')) };
}
