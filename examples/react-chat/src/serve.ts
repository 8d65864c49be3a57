// Serves the page of a chat, and passes its requests to the gateway with the API key, which the page never receives.
//
//     node examples/react-chat/src/serve.ts
//
// MILLRACE_URL: addresses of gateways, separated by commas, by default that of `npm start`; MILLRACE_KEY: API key; MILLRACE_AGENT; PORT.
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rolldown } from 'rolldown';

const folder = join(import.meta.dirname, '..');
const stack = join(folder, '../../.millrace');
const { MILLRACE_URL = await readGatewayUrl(), MILLRACE_AGENT = 'demo', PORT = '3000' } = process.env;
const key = process.env['MILLRACE_KEY'] ?? (await readFile(join(stack, 'keys/auth/first.key'), 'utf8')).trim();
const gateways = MILLRACE_URL.split(',').map((url) => `${url}/v1/agents/${MILLRACE_AGENT}/ui`);
/** The routes of a chat below /api/chat: everything else of the gateway stays out of reach of the page. */
const ROUTE = /^\/api\/chat(|\/[\w-]{1,128}\/(?:stream|messages|stop))$/;
const PASSED = ['content-type', 'cache-control', 'x-vercel-ai-ui-message-stream', 'x-accel-buffering', 'retry-after'];

const page = await readFile(join(folder, 'page/index.html'));
const script = await bundle();

/** The file exists while `npm start` runs. */
async function readGatewayUrl(): Promise<string> {
  const text = await readFile(join(stack, 'stack.json'), 'utf8').catch(() => '{}');
  const { ports } = JSON.parse(text);
  return `http://127.0.0.1:${Number(ports?.gateway ?? 8080)}`;
}

async function bundle(): Promise<string> {
  const build = await rolldown({
    input: join(folder, 'page/chat.tsx'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  return output[0].code;
}

/** Asks the first gateway that answers. A submission is repeated at another one only if the first refused the connection. */
async function askGateway(path: string, request: IncomingMessage, signal: AbortSignal): Promise<Response> {
  const body = request.method === 'POST' ? Buffer.concat(await Array.fromAsync(request)) : null;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (const [at, url] of gateways.entries())
    try {
      return await fetch(url + path, { method: request.method ?? 'GET', headers, body, signal });
    } catch (error) {
      if (at === gateways.length - 1 || !isRefused(error)) throw error;
    }
  throw new Error('MILLRACE_URL is empty.');
}

const isRefused = (error: unknown): boolean =>
  error instanceof TypeError && error.cause instanceof Error && Reflect.get(error.cause, 'code') === 'ECONNREFUSED';

async function passOn(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  const answer = await askGateway(path, request, leaving.signal);
  const headers = PASSED.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(answer.status, Object.fromEntries(headers));
  if (answer.body) await pipeline(Readable.fromWeb(answer.body), response);
  else response.end();
}

const server = createServer((request, response) => {
  const path = ROUTE.exec(request.url ?? '')?.[1];
  if (request.url === '/') response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  else if (request.url === '/chat.js') response.setHeader('content-type', 'text/javascript; charset=utf-8').end(script);
  else if (path === undefined) response.writeHead(404).end();
  else
    passOn(path, request, response).catch(() => {
      // A stream that has begun is cut, so that the page continues it.
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end('The gateway does not answer.');
    });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
