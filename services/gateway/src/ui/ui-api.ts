// Mounts the routes of useChat. Errors are plain texts in the form of problem details: the client shows the body.
import type { Hono } from 'hono';
import { MillraceError } from '@millrace/contracts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { buildProblemResponse } from '../http/problem.ts';
import { listUiMessages, resumeUi, stopUi } from './ui-chat.ts';
import { serveUiMessages } from './ui-route.ts';

export function mountUi(app: Hono, context: GatewayContext): void {
  const serve = (serving: Promise<Response>) =>
    serving.catch((error: unknown) => {
      if (!MillraceError.isInstance(error)) context.log.error({ err: error }, 'a route of a chat threw');
      return buildProblemResponse(error);
    });
  app.get('/v1/agents/:agent/ui/:chat/stream', ({ req }) => serve(resumeUi(req.raw, req.param(), context)));
  app.get('/v1/agents/:agent/ui/:chat/messages', ({ req }) => serve(listUiMessages(req.raw, req.param(), context)));
  app.post('/v1/agents/:agent/ui/:chat/stop', ({ req }) => serve(stopUi(req.raw, req.param(), context)));
  app.post('/v1/agents/:agent/ui', ({ req }) => serve(serveUiMessages(req.raw, req.param('agent'), context)));
}
