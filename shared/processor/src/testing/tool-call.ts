// Calls a tool over the bus as the orchestrator does, and records its progress.
import { request, type RequestAnswer, type Bus } from '@millrace/bus';
import { toolReplySchema, type Chunk, type JsonValue, type ToolReply, type ToolRequest } from '@millrace/contracts';

export type ToolCalled = { answer: RequestAnswer<ToolReply>; progress: Chunk[] };

const ASK_TIMEOUT_MS = 5_000;

export async function callTool(
  bus: Bus,
  toolName: string,
  args: JsonValue,
  more: Partial<ToolRequest> = {},
  service = 'hosts',
): Promise<ToolCalled> {
  const progress: Chunk[] = [];
  const payload: ToolRequest = {
    callId: crypto.randomUUID(),
    run: {
      tenant: 'default',
      runId: 'run-1',
      agent: 'tester',
      epoch: 1,
      resourceId: 'default',
    },
    stepNumber: 0,
    toolCall: { toolCallId: 'call-1', toolName, args },
    requestContext: {},
    timeoutMs: ASK_TIMEOUT_MS,
    ...more,
  };
  const answer = await request(bus, {
    subject: bus.subjects.tool(service, toolName),
    payload,
    reply: toolReplySchema,
    timeoutMs: ASK_TIMEOUT_MS,
    readProgress: (reply) => ('progress' in reply ? reply.sequence : 'final'),
    onProgress: (reply) => {
      if ('progress' in reply) progress.push(...reply.progress);
    },
  });
  return { answer, progress };
}
