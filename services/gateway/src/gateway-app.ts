// The HTTP surface of the gateway.
import { MillraceError } from '@millrace/contracts';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { checkOrigin, isAcceptedOrigin } from './access/origins.ts';
import { mountLiteLlm } from './checks/litellm-route.ts';
import { mountModerations } from './checks/moderations-route.ts';
import { mountConsole } from './console/console-app.ts';
import { VERSION, type GatewayContext } from './context/gateway-context.ts';
import { closeUnreadStream } from './http/event-stream.ts';
import { buildProblemResponse, describeProblem, writeProblem } from './http/problem.ts';
import { mountMcp } from './mcp/mcp-api.ts';
import { mountOpenAi } from './openai/openai-api.ts';
import { describeOpenAiError } from './openai/openai-error.ts';
import { mountOwnApi } from './own/own-api.ts';
import { mountUi } from './ui/ui-api.ts';

const EXPOSED = [
  'retry-after',
  'x-millrace-run-id',
  'x-request-id',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
];
const UNAVAILABLE = 503;
const PUBLIC_PROBLEMS: readonly string[] = ['no connection to NATS', 'draining'];
const PREFLIGHT_SECONDS = 600;
/** Ids of clients that the gateway repeats in its answers and logs. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Own API and OpenAI's protocols share the prefix /v1: the answer has the members of both forms of an error. */
function buildUnknownRoute({ method, path }: { method: string; path: string }): Response {
  const unknown = new MillraceError('route-unknown', `There is no route ${method} ${path}.`, {
    remedy: 'GET /openapi.json lists the routes of the own API.',
  });
  const problem = describeProblem(unknown);
  const shared = path.startsWith('/v1/') ? { error: describeOpenAiError(unknown).error } : {};
  return writeProblem({ ...problem, body: { ...problem.body, ...shared } });
}

export function createGatewayApp(context: GatewayContext): Hono {
  const { GATEWAY_HOSTS: hosts, GATEWAY_ORIGINS: origins } = context.settings;
  const app = new Hono();
  app.use(async (call, next) => {
    const given = call.req.header('x-request-id');
    const id = given !== undefined && REQUEST_ID.test(given) ? given : `req_${crypto.randomUUID()}`;
    await next();
    call.header('x-request-id', id);
  });
  // Before the check of the host: a probe names the address of a container.
  app.get('/healthz', (call) => {
    const found = context.findProblem();
    if (found === undefined) return call.json({ status: 'ok', version: VERSION });
    // Other problems name subjects of the bus; the port HEALTH_PORT has them.
    const problem = PUBLIC_PROBLEMS.find((one) => one === found) ?? 'see HEALTH_PORT';
    return call.json({ status: 'unavailable', problem, version: VERSION }, UNAVAILABLE);
  });
  app.use(closeUnreadStream);
  app.use(async (call, next) => {
    checkOrigin(call.req.raw, { hosts, origins });
    return next();
  });
  app.use(
    cors({
      origin: (origin, call) => (isAcceptedOrigin(origin, call.req.header('host') ?? '', origins) ? origin : null),
      exposeHeaders: EXPOSED,
      maxAge: PREFLIGHT_SECONDS,
    }),
  );
  mountConsole(app, context);
  mountOwnApi(app, context);
  mountOpenAi(app, context);
  mountUi(app, context);
  mountMcp(app, context);
  mountLiteLlm(app, context);
  mountModerations(app, context);
  app.notFound(({ req }) => buildUnknownRoute(req));
  app.onError((error) => {
    if (!MillraceError.isInstance(error)) context.log.error({ err: error }, 'a request failed');
    return buildProblemResponse(error);
  });
  return app;
}
