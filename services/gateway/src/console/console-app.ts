// Serves the console: its page under every path of /console/, the files of its build, and its session.
import { randomBytes } from 'node:crypto';
import { MillraceError } from '@millrace/contracts';
import type { Context, Hono } from 'hono';
import type { GatewayContext } from '../gateway-context.ts';
import { buildProblemResponse } from '../http/problem.ts';
import { mountSession } from './session-routes.ts';
import { readAsset, readPage } from './site-files.ts';
import { CACHE_CHECKED, CACHE_FOREVER, SITE_HEADERS, writePolicy } from './site-headers.ts';
import { UNBUILT_PAGE } from './unbuilt-page.ts';

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
