// The routes of MCP: /mcp for all agents of a key, /mcp/{agent} for one. The handler serves clients of the protocol of
// 2026 and, without sessions, those of 2025.
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Client } from '@millrace/client';
import { MillraceError, type PublicAgent } from '@millrace/contracts';
import type { Hono } from 'hono';
import type { Access } from '../access/access.ts';
import { openAccess, openText } from '../access/open-access.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { buildProblemResponse } from '../http/problem.ts';
import { readAgent } from '../agents/read-agent.ts';
import { acceptsEvents, addAccepted, toJsonAnswer } from './accepted-answer.ts';
import { createAgentServer } from './agent-tools.ts';

/** Messages of a batch: the handler has the same maximum, and checks each message before that. */
const MAX_BATCH = 100;
/** Open subscriptions of one request: the list of agents is read with each request, so nothing is announced. */
const MAX_SUBSCRIPTIONS = 1;

export function mountMcp(app: Hono, context: GatewayContext): void {
  const serve = (request: Request, agent: string | undefined) =>
    serveMcp(request, agent, context).catch((error: unknown) => {
      if (!MillraceError.isInstance(error)) context.log.error({ err: error }, 'a request of MCP failed');
      return buildProblemResponse(error);
    });
  app.all('/mcp', ({ req }) => serve(req.raw, undefined));
  app.all('/mcp/:agent', ({ req }) => serve(req.raw, req.param('agent')));
}

async function serveMcp(request: Request, agent: string | undefined, context: GatewayContext): Promise<Response> {
  const { access, whole, ...body } = await openRequest(request, context);
  const client = await access.connectClient();
  const agents = await listAgents(client, access, agent);
  const handler = createMcpHandler(() => createAgentServer(agents, { client, access, context }), {
    maxRequestBodySize: context.settings.MAX_BODY_BYTES,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    keepAliveMs: context.settings.KEEP_ALIVE_MS,
    onerror: (error) => context.log.debug({ error: error.message }, 'a request of MCP was refused'),
  });
  const response = await handler.fetch(whole, body);
  return acceptsEvents(request) ? response : toJsonAnswer(response);
}

/** `whole`: the request with its body, which the handler would read without a limit of the account. `parsedBody`: absent if the body is no JSON. */
type OpenedMessages = { access: Access; whole: Request; parsedBody?: unknown };

/** @throws message-invalid for a batch of more than MAX_BATCH messages */
async function openRequest(request: Request, context: GatewayContext): Promise<OpenedMessages> {
  if (request.method !== 'POST') return { ...(await openAccess(request, 'run', context)), whole: request };
  const { access, body } = await openText(request, { scope: 'run' }, context);
  const { url, method, signal } = request;
  const whole = new Request(url, { method, headers: addAccepted(request), signal, body });
  const parsedBody = parseMessages(body);
  if (!Array.isArray(parsedBody) || parsedBody.length <= MAX_BATCH) return { access, whole, parsedBody };
  throw new MillraceError('message-invalid', `The batch has more than ${MAX_BATCH} messages.`, {
    remedy: 'Send several requests.',
  });
}

function parseMessages(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** @throws agent-unknown for an agent of the path that the key may not run */
async function listAgents(client: Client, access: Access, only: string | undefined): Promise<PublicAgent['agent'][]> {
  if (only !== undefined) readAgent({ agent: only }, access);
  const agents = (await client.agents.listPublic()).map(({ agent }) => agent);
  if (only === undefined) return agents;
  const own = agents.filter(({ name }) => name === only);
  if (own.length > 0) return own;
  throw new MillraceError('agent-unknown', `No agent "${only}" is applied.`, {
    path: 'agent',
    remedy: 'Use /mcp, which lists the agents of the key as tools.',
  });
}
