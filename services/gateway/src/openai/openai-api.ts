// The routes of OpenAI's protocol.
import type { Hono } from 'hono';
import type { GatewayContext } from '../context/gateway-context.ts';
import { serveChat } from './chat/chat-route.ts';
import { createConversation } from './responses/conversations-route.ts';
import { serveResponse } from './responses/responses-route.ts';
import { cancelResponse, deleteResponse, serveStoredResponse } from './responses/stored-responses.ts';
import { serveModels } from './models-route.ts';

export function mountOpenAi(app: Hono, context: GatewayContext): void {
  app.post('/v1/chat/completions', ({ req }) => serveChat(req.raw, context));
  app.post('/v1/responses', ({ req }) => serveResponse(req.raw, context));
  app.post('/v1/conversations', ({ req }) => createConversation(req.raw, context));
  app.get('/v1/responses/:id', ({ req }) => serveStoredResponse(req.raw, req.param('id'), context));
  app.delete('/v1/responses/:id', ({ req }) => deleteResponse(req.raw, req.param('id'), context));
  app.post('/v1/responses/:id/cancel', ({ req }) => cancelResponse(req.raw, req.param('id'), context));
  app.get('/v1/models', ({ req }) => serveModels(req.raw, undefined, context));
  app.get('/v1/models/:id', ({ req }) => serveModels(req.raw, req.param('id'), context));
}
