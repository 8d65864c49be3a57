// A route of the gateway's own API: its schemas are those of the OpenAPI document, and the handler receives checked
// values.
import { API, type ApiVerb, type Scope } from '@millrace/contracts';
import type { z } from 'zod';
import type { Access } from '../access/access.ts';
import type { GatewayContext } from '../context/gateway-context.ts';

export type RouteCall<P, Q, B> = {
  access: Access;
  params: P;
  query: Q;
  body: B;
  request: Request;
  context: GatewayContext;
};

/** `never` for a part that the route does not have. */
type RouteParts<Q extends z.ZodObject, B extends z.ZodType, A extends z.ZodType> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces: `/v1/runs/{run}`. */
  path: string;
  /** Name of the operation in the OpenAPI document. */
  id: string;
  summary: string;
  query?: Q;
  body?: B;
  answer: A;
  /** Default: 200. */
  status?: number;
  /** The answer is also, or only, a stream of server-sent events. */
  events?: 'also' | 'only';
};

export type OwnRoute = RouteParts<z.ZodObject, z.ZodType, z.ZodType> & {
  scope: Scope;
  handle(call: RouteCall<Readonly<Record<string, string>>, unknown, unknown>): Promise<unknown>;
};

/** `verb`: the route is one of a verb, and requires its scope. */
type RouteScope = { verb: ApiVerb } | { scope: Scope };

/** Ties the handler to its schemas. A `Response` of the handler is sent unchanged. */
export function defineRoute<Q extends z.ZodObject, B extends z.ZodType, A extends z.ZodType>(
  route: RouteParts<Q, B, A> &
    RouteScope & {
      handle(
        call: RouteCall<Readonly<Record<string, string>>, z.output<Q>, z.output<B>>,
      ): Promise<z.input<A> | Response>;
    },
): OwnRoute {
  return {
    ...route,
    scope: 'verb' in route ? API[route.verb].scope : route.scope,
    // The dispatcher has parsed both with the schemas of this route.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    handle: (call) => route.handle(call as RouteCall<Readonly<Record<string, string>>, z.output<Q>, z.output<B>>),
  };
}
