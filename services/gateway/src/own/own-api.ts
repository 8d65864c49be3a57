// All routes of the gateway's own API, and their dispatcher: it authenticates, counts, checks, and converts errors to
// problem details.
import { MillraceError, suggestName } from '@millrace/contracts';
import type { Context, Hono } from 'hono';
import { openAccess, openBody } from '../access/open-access.ts';
import { addSessionCredential, endRefusedSession } from '../console/session-access.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { buildProblemResponse } from '../http/problem.ts';
import { checkValue } from '../http/read-body.ts';
import { AGENT_ROUTES } from './agent-routes.ts';
import { BUS_TOKEN_ROUTES } from './bus-token-routes.ts';
import type { OwnRoute } from './define-route.ts';
import { MEMORY_ROUTES } from './memory-routes.ts';
import { writeOpenApi } from './openapi.ts';
import { OPERATOR_ROUTES } from './operator-routes.ts';
import { RUN_ROUTES } from './run-routes.ts';

export const OWN_ROUTES: readonly OwnRoute[] = [
  ...RUN_ROUTES,
  ...MEMORY_ROUTES,
  ...AGENT_ROUTES,
  ...OPERATOR_ROUTES,
  ...BUS_TOKEN_ROUTES,
];

export function mountOwnApi(app: Hono, context: GatewayContext): void {
  let document: string | undefined;
  app.get('/openapi.json', (call) => {
    // Writing it takes a tenth of a second, which a start does not need.
    document ??= JSON.stringify(writeOpenApi(OWN_ROUTES));
    return call.body(document, 200, { 'content-type': 'application/json' });
  });
  for (const route of OWN_ROUTES)
    app.on(route.method, toHonoPath(route.path), (call) =>
      serveRoute(route, call, context).catch(async (error: unknown) => {
        await endRefusedSession(call.req.raw, error, context);
        if (!MillraceError.isInstance(error)) context.log.error({ err: error, route: route.id }, 'a route threw');
        return buildProblemResponse(error);
      }),
    );
}

const toHonoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

async function serveRoute(route: OwnRoute, call: Context, context: GatewayContext): Promise<Response> {
  const request = call.req.raw;
  const { scope, body: schema } = route;
  refuseParameters(call, Object.keys(route.query?.shape ?? {}));
  const credited = await addSessionCredential(request, context);
  const opened = schema
    ? await openBody(request, { scope, schema, headers: credited }, context)
    : { ...(await openAccess({ headers: credited }, scope, context)), body: {} };
  const { access, headers, body } = opened;
  const query = route.query ? checkValue(call.req.query(), route.query, 'The query') : {};
  const answer = await route.handle({ access, params: call.req.param(), query, body, request, context });
  const response = answer instanceof Response ? answer : Response.json(answer, { status: route.status ?? 200 });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** @throws message-invalid for a parameter without an effect: an unknown one, and all values of a repeated one but the first */
function refuseParameters({ req }: Context, known: readonly string[]): void {
  // Hono omits a parameter without a name.
  const { searchParams } = new URL(req.url);
  for (const path of new Set(searchParams.keys())) {
    const name = toShownName(path);
    if (!known.includes(path))
      throw new MillraceError('message-invalid', suggestName(`The query has no parameter "${name}".`, name, known), {
        path: name,
        remedy: `It may have: ${known.join(', ') || 'none'}.`,
      });
    if (searchParams.getAll(path).length > 1)
      throw new MillraceError('message-invalid', `The query has the parameter "${name}" more than once.`, {
        path: name,
        remedy: 'Send it once; a list of ids is separated by commas.',
      });
  }
}

/** Number of shown characters: the name is the sender's. */
const MAX_NAME = 64;
const toShownName = (name: string): string => name.slice(0, MAX_NAME);
