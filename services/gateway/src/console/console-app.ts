// Serves the console: its page under every path of /console/, the files of its build, and its session.
import { randomBytes } from 'node:crypto';
import { MillraceError } from '@millrace/contracts';
import type { Context, Hono } from 'hono';
import type { GatewayContext } from '../context/gateway-context.ts';
import { buildProblemResponse } from '../http/problem.ts';
import { mountSession } from './session-routes.ts';
import { readAsset, readPage } from './site-files.ts';
import { CACHE_CHECKED, CACHE_FOREVER, SITE_HEADERS, writePolicy } from './site-headers.ts';

/** In the page of the build. */
const NONCE_PLACEHOLDER = /__CSP_NONCE__/g;
const NONCE_BYTES = 16;
const HOME = '/console/';

export function mountConsole(app: Hono, context: GatewayContext): void {
  app.get('/', (call) => call.redirect(HOME));
  app.get('/console', (call) => call.redirect(HOME));
  mountSession(app, context);
  app.get('/console/assets/:name', (call) => serveAsset(call, context));
  app.get('/console/*', () => servePage(context));
}

async function servePage({ settings }: GatewayContext): Promise<Response> {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const page = settings.CONSOLE_DIR === undefined ? undefined : await readPage(settings.CONSOLE_DIR);
  return new Response(page?.replace(NONCE_PLACEHOLDER, nonce) ?? UNBUILT_PAGE, {
    status: page === undefined ? 503 : 200,
    headers: {
      ...SITE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': writePolicy(nonce),
      'cache-control': CACHE_CHECKED,
    },
  });
}

async function serveAsset(call: Context, { settings }: GatewayContext): Promise<Response> {
  const name = call.req.param('name') ?? '';
  const accepted = call.req.header('accept-encoding') ?? '';
  const file = settings.CONSOLE_DIR === undefined ? undefined : await readAsset(settings.CONSOLE_DIR, name, accepted);
  if (!file) return buildProblemResponse(new MillraceError('route-unknown', 'The console has no such file.'));
  return new Response(new Uint8Array(file.body), {
    headers: {
      ...SITE_HEADERS,
      'content-type': file.type,
      'cache-control': CACHE_FOREVER,
      vary: 'accept-encoding',
      ...(file.encoding !== undefined && { 'content-encoding': file.encoding }),
    },
  });
}

/** A build may be in progress: the page requests itself again after this time. */
const ASK_AGAIN_S = 3;

const UNBUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="refresh" content="${ASK_AGAIN_S}" />
    <title>Millrace</title>
  </head>
  <body>
    <h1>The console is not built yet</h1>
    <p><code>npm start</code> builds the console in the background after its start. This page reloads until the build is complete.</p>
    <p>If it does not appear, read the output of <code>npm start</code>, or build it:</p>
    <pre>node console/build.mjs --out DIR</pre>
    <p>and start the gateway with <code>CONSOLE_DIR=DIR</code>. The API works without the console.</p>
  </body>
</html>
`;
