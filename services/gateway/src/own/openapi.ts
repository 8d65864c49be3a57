// Writes the OpenAPI 3.1 document of the own API from the schemas of its routes. OpenAPI 3.1 uses JSON Schema 2020-12,
// the dialect that zod writes.
import { isObject, toJsonSchema } from '@millrace/contracts';
import type { z } from 'zod';
import type { OwnRoute } from './define-route.ts';

const ERRORS: Record<string, string> = {
  '400': 'The request is invalid.',
  '401': 'The credential is missing or refused.',
  '403': 'The credential has no right to this.',
  '404': 'It does not exist for this caller.',
  '429': 'A limit is exceeded; retry-after holds the time to wait.',
};

export function writeOpenApi(routes: readonly OwnRoute[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeOperation(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version: '1.0.0',
      summary: 'Agents whose processors run as independent services.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'this gateway' }],
    security: [{ key: [] }],
    tags: [{ name: 'millrace', description: 'Runs, threads, agents.' }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'an API key or a JWT' } },
      schemas: { Problem: PROBLEM },
    },
  };
}

function describeOperation(route: OwnRoute): object {
  const { id, summary, scope, body, answer, status = 200, events } = route;
  const stream = { 'text/event-stream': { schema: { type: 'string' } } };
  const content = {
    ...(events !== 'only' && { 'application/json': { schema: embedSchema(answer) } }),
    ...(events && stream),
  };
  const errors = Object.entries(ERRORS).map(([code, description]) => [
    code,
    { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
  ]);
  const success: [string, object][] = [[String(status), { description: 'The request succeeded.', content }]];
  if (events === 'also') success.push(['200', { description: 'The result, or the stream of chunks.', content }]);
  return {
    operationId: id,
    tags: ['millrace'],
    summary,
    description: `Needs the scope \`${scope}\`.`,
    parameters: [...listPathParameters(route.path), ...(route.query ? listQueryParameters(route.query) : [])],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: embedSchema(body) } } } }),
    responses: Object.fromEntries([...success, ...errors]),
  };
}

const listPathParameters = (path: string): object[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function listQueryParameters(query: z.ZodType): object[] {
  const { properties = {} } = toJsonSchema(query);
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
  }));
}

/** A schema inside of the document has no dialect of its own. */
function embedSchema(schema: z.ZodType): object {
  const { $schema: _dialect, ...rest } = toJsonSchema(schema);
  return rest;
}

const PROBLEM = {
  type: 'object',
  description: 'Problem details (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', description: 'The codes are listed in docs/errors.md.' },
    path: { type: 'string' },
    remedy: { type: 'string' },
    issues: { type: 'array', items: { type: 'object' } },
  },
};
