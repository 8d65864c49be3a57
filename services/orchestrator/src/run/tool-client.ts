// One tool call over the bus. Whatever goes wrong is a result that the model is told; the loop goes on. One attempt: whether a
// tool that did not answer has done its work, nobody knows.
import {
  toolReplySchema,
  type Chunk,
  type ErrorCode,
  type JsonValue,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
} from '@millrace/contracts';
import { publish, request } from '@millrace/bus';
import type { Interrupt } from '../state/interrupt.ts';
import { createOrderedSink } from '../stages/ordered-sink.ts';
import type { Run } from '../state/run-context.ts';
import { schemaProblems } from '../peers/json-schema.ts';
import { chunk } from '../state/make-chunk.ts';
import { sendChunks } from '../stages/send-chunks.ts';

/** `interrupt`: the output stream's processors stopped the run at what the tool said while it worked. */
export type Called = { result: ToolResult } | { interrupt: Interrupt };

/** @param signal fires when the call is given up: the result is then not looked at */
export async function callTool(run: Run, call: ToolCall, tool: ToolDefinition, signal: AbortSignal): Promise<Called> {
  const started = performance.now();
  const called = await callOnce(run, call, tool, signal);
  run.events.record({
    event: 'tool',
    step: run.state().steps.length,
    tool: tool.name,
    toolCallId: call.toolCallId,
    ms: performance.now() - started,
    isError: 'interrupt' in called || called.result.isError,
    denied: false,
  });
  return called;
}

async function callOnce(run: Run, call: ToolCall, tool: ToolDefinition, signal: AbortSignal): Promise<Called> {
  const problems = schemaProblems(tool.inputSchema, call.args);
  if (problems.length > 0) {
    const lines = problems.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('; ');
    return failed(call, 'tool-arguments-invalid', `The arguments of ${tool.name} do not fit: ${lines}`);
  }
  const { bus } = run.deps.access;
  const callId = crypto.randomUUID();
  const { requestContext, trace } = run.state().request;
  const stopped = new AbortController();
  const toClient = (parts: readonly Chunk[]) =>
    sendChunks(
      run,
      parts.map((part) => progressChunk(run, call, part)),
    );
  const progress = createOrderedSink(toClient, () => stopped.abort());
  const answer = await request(bus, {
    subject: bus.subjects.tool(tool.name),
    payload: {
      callId,
      run: run.ref,
      stepNumber: run.state().steps.length,
      toolCall: call,
      ...(tool.idempotent && { idempotencyKey: `${run.ref.runId}.${call.toolCallId}` }),
      requestContext,
      ...(trace && { trace }),
      timeoutMs: tool.timeoutMs,
    },
    reply: toolReplySchema,
    timeoutMs: tool.timeoutMs,
    signal: AbortSignal.any([signal, stopped.signal]),
    progressOf: (reply) => ('progress' in reply ? reply.sequence : 'final'),
    onProgress: (reply) => 'progress' in reply && progress.send(reply.progress),
  });
  if ('error' in answer && (answer.error.code === 'timeout' || answer.error.code === 'cancelled')) {
    const service = run.deps.discovery.serviceOfTool(tool.name);
    if (service !== undefined) publish(bus, bus.subjects.cancelCalls(service), { callIds: [callId] });
  }
  // Progress comes before the result at the client too.
  const interrupt = await progress.settle();
  if (interrupt) return { interrupt };
  if ('error' in answer) return failed(call, codes[answer.error.code] ?? answer.error.code, answer.error.message);
  if ('result' in answer.ok) return { result: { ...call, result: answer.ok.result, isError: false } };
  if ('error' in answer.ok) return failed(call, answer.ok.error.code, answer.ok.error.message);
  return failed(call, 'tool-failed', `${tool.name} answered no result.`);
}

const codes: Partial<Record<ErrorCode, ErrorCode>> = { 'nobody-there': 'tool-not-there', timeout: 'tool-timeout' };

/** Custom chunks pass as they are; anything else that a tool says while it works is wrapped. */
function progressChunk(run: Run, { toolCallId, toolName }: ToolCall, part: Chunk): Chunk {
  if (part.type.startsWith('data-')) return part;
  return chunk(run.ref.runId, { type: 'tool-output', payload: { toolCallId, toolName, output: part } });
}

function failed(call: ToolCall, code: ErrorCode, message: string): Called {
  const result: JsonValue = { error: { code, message } };
  return { result: { ...call, result, isError: true } };
}
