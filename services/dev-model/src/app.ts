// HTTP surface of dev-model: OpenAI's paths under /v1. It requires no key: every client that reaches the port can
// use it. A header marks every answer as dev-model's.
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { ApiError, buildErrorBody } from './api/api-error.ts';
import { listModels, showModel } from './api/models-route.ts';
import { parseBody } from './api/parse-body.ts';
import { serveModelCall, type ModelServing } from './api/serve-model-call.ts';
import { createId } from './api/wire.ts';
import { toChatModelCall, chatRequestSchema } from './chat/chat-request.ts';
import { createChatWire } from './chat/chat-wire.ts';
import { serveEmbeddings } from './embedding/embeddings-route.ts';
import { createItemStore } from './responses/item-store.ts';
import { serveResponses } from './responses/responses-route.ts';

export type DevModelOptions = ModelServing & { readonly maxBodyBytes?: number };

const defaultMaxBodyBytes = 16 * 1024 * 1024;

export function createDevModel({ maxBodyBytes = defaultMaxBodyBytes, ...serving }: DevModelOptions): Hono {
  const { log } = serving;
  const app = new Hono();
  const items = createItemStore();

  app.use(async (context, next) => {
    await next();
    context.header('x-millrace-stand-in', 'dev-model');
    context.header('x-request-id', createId('req_'));
  });
  app.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError() {
        const message = `The body is larger than ${maxBodyBytes} bytes`;
        throw new ApiError({ status: 413, code: 'body_too_large', message });
      },
    }),
  );

  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/v1/models', () => listModels());
  app.get('/v1/models/:id', (context) => showModel(context.req.param('id')));
  app.post('/v1/chat/completions', async ({ req: { raw } }) => {
    const body = await parseBody(raw, chatRequestSchema);
    const wire = createChatWire(body.stream_options?.include_usage ?? false);
    return serveModelCall(raw, toChatModelCall(body), wire, serving);
  });
  app.post('/v1/responses', ({ req: { raw } }) => serveResponses(raw, items, serving));
  app.post('/v1/embeddings', ({ req: { raw } }) => serveEmbeddings(raw));

  app.notFound(({ req }) => {
    const message = `There is no route ${req.method} ${req.path}; GET /v1/models lists the models`;
    return buildErrorResponse(new ApiError({ status: 404, code: 'unknown_url', message }));
  });
  app.onError((error, { req }) => {
    if (error instanceof ApiError) return buildErrorResponse(error);
    if (req.raw.signal.aborted) {
      log.info({ path: req.path }, 'client disconnected before its answer');
      return buildErrorResponse(
        new ApiError({ status: 499, code: 'client_closed_request', message: 'The client disconnected' }),
      );
    }
    log.error({ err: error, path: req.path }, 'request handler threw');
    const message = `dev-model failed: ${error.message}`;
    return buildErrorResponse(new ApiError({ status: 500, code: 'internal_error', message, cause: error }));
  });
  return app;
}

const buildErrorResponse = (error: ApiError): Response =>
  Response.json(buildErrorBody(error), { status: error.status, headers: error.headers });
