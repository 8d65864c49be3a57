// Serves agents as tools of MCP: one tool for each agent that the key may run. The server is stateless: each request
// has one of its own.
import { ProtocolError, ProtocolErrorCode, Server, type CallToolResult } from '@modelcontextprotocol/server';
import type { Client } from '@millrace/client';
import {
  MillraceError,
  jsonObjectSchema,
  parseValue,
  threadIdSchema,
  type PublicAgent,
  type RunResult,
} from '@millrace/contracts';
import { z } from 'zod';
import { answerNewestQuestion } from '../agents/answer-question.ts';
import { NO_MARK } from '../recent/open-request.ts';
import { describePending } from '../openai/chat/chat-state.ts';
import type { Access } from '../access/access.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { openOwnedRun, type OwnedStream } from '../access/open-stream.ts';

const inputSchema = z.strictObject({
  message: z.string().min(1).max(1_000_000).describe('the request to the agent'),
  thread: threadIdSchema.optional().describe('id of a conversation: the agent remembers its earlier messages'),
});
type ToolInput = z.output<typeof inputSchema>;

const listedSchema = z.looseObject({ type: z.literal('object'), properties: z.record(z.string(), jsonObjectSchema) });
const LISTED_INPUT = listedSchema.parse(z.toJSONSchema(inputSchema, { io: 'input' }));

/**
 * Returns a server with the agents as its tools, for one request, which was counted when it opened. McpServer holds its
 * tools in an object with inherited members, which are names of agents, such as `constructor`.
 */
export function createAgentServer(
  agents: readonly Pick<PublicAgent['agent'], 'name' | 'description'>[],
  { client, access, context }: Pick<AgentToolCall, 'client' | 'access' | 'context'>,
): Server {
  const server = new Server({ name: 'millrace', version: '1.0.0' }, { capabilities: { tools: {} } });
  let calls = 0;
  server.setRequestHandler('tools/list', () => ({ tools: agents.map(describeTool) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: input } }, { mcpReq }) => {
    if (agents.every((agent) => agent.name !== name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
    calls += 1;
    try {
      // Protocols before that of June 2025 have batches: each further call counts like a request of its own.
      if (calls > 1) await context.limits.countRequest(access);
      const checked = checkInput(input ?? {});
      const owned = openOwnedRun(access, mcpReq.signal, context);
      const called = callAgent({ client, access, context, owned, agent: name }, checked);
      return server.projectCallToolResult(await called.finally(owned.close), undefined);
    } catch (error) {
      return describeFailure(error);
    }
  });
  return server;
}

/** @throws message-invalid */
function checkInput(input: unknown): ToolInput {
  const parsed = parseValue(inputSchema, input);
  if ('ok' in parsed) return parsed.ok;
  const { path = 'arguments', message = 'is invalid' } = parsed.issues[0] ?? {};
  throw new MillraceError('message-invalid', `The arguments are invalid: ${path} ${message}.`, {
    remedy: 'tools/list has their schema.',
  });
}

const describeTool = ({ name, description }: Pick<PublicAgent['agent'], 'name' | 'description'>) => ({
  name,
  description: description ?? `Asks the agent "${name}".`,
  inputSchema: LISTED_INPUT,
});

type AgentToolCall = { client: Client; access: Access; context: GatewayContext; owned: OwnedStream; agent: string };

async function callAgent(
  { client, access, context, owned, agent }: AgentToolCall,
  { message, thread }: ToolInput,
): Promise<CallToolResult> {
  const { clientClosed: signal } = owned;
  const answered =
    thread !== undefined && access.identity.scopes.includes('answer')
      ? await answerNewestQuestion(client, { agent, threadId: thread, text: message }, { mark: NO_MARK, left: signal })
      : undefined;
  const run = answered?.run ?? (await client.start(agent, message, { threadId: thread, signal }));
  context.limits.countRun(access, client, run.runId);
  const result = await run.result();
  owned.checkCredential();
  if (result.status !== 'suspended') return describeResult(result);
  const { pending = [] } = await client.runs.get(run.runId);
  const hint = thread === undefined ? '' : ' (The next message on this thread is the answer.)';
  return { content: [{ type: 'text', text: describePending(pending) + hint }] };
}

function describeResult({ status, text, tripwire, error, object }: RunResult): CallToolResult {
  if (tripwire) return describeError(`Blocked: ${tripwire.reason}`);
  if (status !== 'finished') return describeError(error?.message ?? `The run was ${status}.`);
  return {
    content: [{ type: 'text', text }],
    ...(typeof object === 'object' && object !== null && !Array.isArray(object) && { structuredContent: object }),
  };
}

const describeError = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });

/** The text of a foreign error may quote users. */
function describeFailure(error: unknown): CallToolResult {
  if (!MillraceError.isInstance(error)) return describeError('The gateway failed to run the agent.');
  return describeError(`${error.message}${error.remedy === undefined ? '' : ` ${error.remedy}`}`);
}
