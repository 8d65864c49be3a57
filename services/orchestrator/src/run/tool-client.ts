// One tool call over the bus. Whatever goes wrong is a result that the model is told; the loop goes on. One attempt: whether a
// tool that did not answer has done its work, nobody knows, and the model is told that too.
import {
  MAX_VALUE_NESTING,
  isDataChunk,
  isNestedDeeper,
  suspensionProblem,
  toolReplySchema,
  ownMember,
  type Chunk,
  type ErrorCode,
  type JsonValue,
  type PlacedCall,
  type PlacedResult,
  type ToolDefinition,
  type WireError,
} from '@millrace/contracts';
import { publish, request } from '@millrace/bus';
import type { Interrupt } from '../state/interrupt.ts';
import { pendingAt } from '../state/pending.ts';
import { sendChunks } from '../stages/guard-chunks.ts';
import { createOrderedSink } from '../stages/ordered-sink.ts';
import type { Run } from '../state/run-context.ts';
import { schemaProblems } from '../peers/json-schema.ts';
import { chunk } from '../state/make-chunk.ts';
import { createProgressBudget, TOO_MUCH_PROGRESS } from '../stages/progress-budget.ts';

/** UTF-16 code units of a result's JSON: those of calls that end together stand in one record of the run's state. */
const MAX_RESULT_CHARS = 512 * 1024;

/** `interrupt`: the output stream's processors stopped the run at what the tool said while it worked. */
export type Called =
  | { result: PlacedResult }
  | { suspended: { payload: JsonValue; expiresInSeconds?: number | undefined } }
  | { interrupt: Interrupt };

/** @param signal fires when the call is given up: the result is then not looked at */
export async function callTool(run: Run, call: PlacedCall, tool: ToolDefinition, signal: AbortSignal): Promise<Called> {
  const started = performance.now();
  const service = run.deps.discovery.serviceOfTool(tool.name) ?? '';
  const activity = run.activity.begin({ kind: 'tool', names: [tool.name], service });
  const called = await callOnce(run, call, { tool, signal, heard: activity.heard }).finally(activity.end);
  run.events.record({
    event: 'tool',
    step: run.state().steps.length,
    tool: tool.name,
    toolCallId: call.toolCallId,
    position: call.position,
    ms: performance.now() - started,
    isError: 'interrupt' in called || ('result' in called && called.result.isError),
    denied: false,
  });
  return called;
}

type ToolRequest = { tool: ToolDefinition; signal: AbortSignal; heard: () => void };

async function callOnce(run: Run, call: PlacedCall, { tool, signal, heard }: ToolRequest): Promise<Called> {
  const problems = schemaProblems(tool.inputSchema, call.args);
  if (problems.length > 0) {
    const lines = problems.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('; ');
    return failed(call, 'tool-arguments-invalid', `The arguments of ${tool.name} do not fit: ${lines}`);
  }
  const { bus } = run.deps.access;
  const callId = crypto.randomUUID();
  const { requestContext, trace } = run.state().request;
  const { position, ...toolCall } = call;
  const stopped = new AbortController();
  const toClient = (parts: readonly Chunk[]) =>
    sendChunks(
      run,
      parts.map((part) => progressChunk(run, call, part)),
    );
  const progress = createOrderedSink(toClient, () => stopped.abort());
  const budget = createProgressBudget();
  const answer = await request(bus, {
    subject: bus.subjects.tool(tool.name),
    payload: {
      callId,
      run: run.ref,
      stepNumber: run.state().steps.length,
      toolCall,
      position,
      ...resumeData(run, position),
      ...(tool.idempotent && { idempotencyKey: callKey(run, position) }),
      requestContext,
      ...(trace && { trace }),
      timeoutMs: tool.timeoutMs,
    },
    reply: toolReplySchema,
    timeoutMs: tool.timeoutMs,
    signal: AbortSignal.any([signal, stopped.signal]),
    progressOf: (reply) => ('progress' in reply ? reply.sequence : 'final'),
    onProgress(reply) {
      if (!('progress' in reply)) return;
      heard();
      if (budget.takes(reply.progress)) progress.send(reply.progress);
      else stopped.abort();
    },
  });
  if ('error' in answer && (answer.error.code === 'timeout' || answer.error.code === 'cancelled')) {
    const service = run.deps.discovery.serviceOfTool(tool.name);
    if (service !== undefined) publish(bus, bus.subjects.cancelCalls(service), { callIds: [callId] });
  }
  // Progress comes before the result at the client too.
  const interrupt = await progress.flush();
  if (interrupt) return { interrupt };
  if (budget.isSpent()) return unknownOutcome(call, 'tool-progress-too-large', `${tool.name} ${TOO_MUCH_PROGRESS}`);
  if ('error' in answer) return unanswered(call, answer.error);
  if ('result' in answer.ok) return finished(call, answer.ok.result);
  if ('suspended' in answer.ok) return suspended(call, answer.ok.suspended);
  if ('error' in answer.ok) return failed(call, answer.ok.error.code, answer.ok.error.message);
  return failed(call, 'tool-failed', `${tool.name} answered no result.`);
}

/**
 * What an idempotent tool knows a call by: never the provider's id, which comes again in other steps and other tenants. A step that
 * is asked for again makes other calls: its retries count.
 */
function callKey(run: Run, position: number): string {
  const { tenant, runId } = run.ref;
  const { steps, retryCount } = run.state();
  const key = `${tenant}.${runId}.${steps.length}.${position}`;
  return retryCount === 0 ? key : `${key}.${retryCount}`;
}

/** What the tool's own suspension was answered with. */
function resumeData(run: Run, position: number): { resumeData?: JsonValue } {
  const resumed = pendingAt(run, undefined, position)?.resumed;
  return resumed ? { resumeData: resumed.data } : {};
}

function suspended(call: PlacedCall, asked: { payload: JsonValue; expiresInSeconds?: number | undefined }): Called {
  const problem = suspensionProblem(asked.payload, asked.expiresInSeconds);
  return problem === undefined ? { suspended: asked } : failed(call, 'tool-failed', problem);
}

function finished(call: PlacedCall, result: JsonValue): Called {
  if (isNestedDeeper(result, MAX_VALUE_NESTING)) {
    const message = `${call.toolName} has run; its result is nested deeper than one may be (${MAX_VALUE_NESTING}).`;
    return failed(call, 'tool-failed', message);
  }
  const { length } = JSON.stringify(result);
  if (length <= MAX_RESULT_CHARS) return { result: { ...call, result, isError: false } };
  const message = `${call.toolName} has run; its result of ${length} characters is larger than one may be (${MAX_RESULT_CHARS}).`;
  return failed(call, 'message-too-large', message);
}

/** A call that was begun before this owner had the run, and may not be made twice. */
export function lostCall(call: PlacedCall): PlacedResult {
  const message = `${call.toolName} was called, and then the orchestrator that had called it was lost.`;
  return withUnknownOutcome(call, 'tool-outcome-unknown', message);
}

/** After these the tool has not been reached. After anything else nobody knows whether it has done its work. */
const NOT_REACHED: readonly ErrorCode[] = ['nobody-there', 'bus-unreachable', 'not-json'];
const CODES: Partial<Record<ErrorCode, ErrorCode>> = { 'nobody-there': 'tool-not-there', timeout: 'tool-timeout' };

function unanswered(call: PlacedCall, { code, message }: Pick<WireError, 'code' | 'message'>): Called {
  const named = ownMember(CODES, code) ?? code;
  return NOT_REACHED.includes(code) ? failed(call, named, message) : unknownOutcome(call, named, message);
}

const checkFirst = 'Whether the tool has done its work is unknown: do not call it again before you have checked.';

function withUnknownOutcome(call: PlacedCall, code: ErrorCode, message: string): PlacedResult {
  const result: JsonValue = { error: { code, message, remedy: checkFirst }, outcome: 'unknown' };
  return { ...call, result, isError: true };
}
const unknownOutcome = (call: PlacedCall, code: ErrorCode, message: string): Called => ({
  result: withUnknownOutcome(call, code, message),
});

/** Custom chunks pass as they are; anything else that a tool says while it works is wrapped. */
function progressChunk(run: Run, { toolCallId, toolName }: PlacedCall, part: Chunk): Chunk {
  if (isDataChunk(part)) return { ...part, runId: run.ref.runId };
  return chunk(run.ref.runId, { type: 'tool-output', payload: { toolCallId, toolName, output: part } });
}

function failed(call: PlacedCall, code: ErrorCode, message: string): Called {
  const result: JsonValue = { error: { code, message } };
  return { result: { ...call, result, isError: true } };
}
