// The routes of OpenAI's protocol.
import type { Hono } from 'hono';
import type { GatewayContext } from '../gateway-context.ts';
import { serveChat } from './chat-route.ts';
import { serveModels } from './models-route.ts';

export function mountOpenAi(app: Hono, context: GatewayContext): void {
  app.post('/v1/chat/completions', ({ req }) => serveChat(req.raw, context));
  app.get('/v1/models', ({ req }) => serveModels(req.raw, undefined, context));
  app.get('/v1/models/:id', ({ req }) => serveModels(req.raw, req.param('id'), context));
}
