// Calls a tool over the bus. Every failure is a result for the model, and the run continues. A call is made once: if
// the tool does not answer, the outcome is unknown, and the model receives that.
import { isDeepStrictEqual } from 'node:util';
import {
  MAX_VALUE_NESTING,
  isDataChunk,
  isNestedDeeper,
  findSuspensionProblem,
  measureJson,
  nameText,
  replaceInexact,
  toWireError,
  writeNumber,
  writeWithText,
  toolReplySchema,
  getOwnMember,
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
import { findPendingAt } from '../state/pending.ts';
import { createOrderedSink, type DataSink } from './ordered-sink.ts';
import type { Run } from '../state/run-context.ts';
import { findSchemaProblems } from '../peers/json-schema.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { repeatCall } from './repeat-call.ts';
import { createProgressBudget, TOO_MUCH_PROGRESS, type ProgressBudget } from './progress-budget.ts';

/** UTF-16 code units of a result's JSON: results of calls that end together share one record of the run's state. */
const MAX_RESULT_CHARS = 512 * 1024;

/** `interrupt`: the processors of the output stream stopped the run at a chunk of the tool. */
export type ToolOutcome =
  | { result: PlacedResult }
  | { suspended: { payload: JsonValue; expiresInSeconds?: number | undefined } }
  | { interrupt: Interrupt };

export type ToolCalling = {
  tool: ToolDefinition;
  /** Fires if the caller abandons the call: the result is then ignored. */
  signal: AbortSignal;
  /** Receives the chunks that the tool writes while it works. */
  sink: DataSink;
};

/** Calls the tool, again if the agent allows more attempts. A failure is a result for the model, never a throw. */
export async function callTool(run: Run, call: PlacedCall, { tool, signal, sink }: ToolCalling): Promise<ToolOutcome> {
  const started = performance.now();
  const service = findService(run, tool.name) ?? '';
  const activity = run.activity.begin({ kind: 'tool', names: [tool.name], service });
  const budget = createProgressBudget();
  const attempt = () => callOnce(run, call, { tool, signal, sink, budget, onReply: activity.receive });
  const { called, attempts } = await repeatCall(run, tool.name, attempt, signal).finally(activity.end);
  run.events.record({
    event: 'tool',
    step: run.getState().steps.length,
    tool: tool.name,
    toolCallId: call.toolCallId,
    position: call.position,
    ms: performance.now() - started,
    isError: 'interrupt' in called || ('result' in called && called.result.isError),
    denied: false,
    ...(attempts > 1 && { attempts }),
  });
  return called;
}

/** `budget`: of all attempts of the call. */
type ToolAttempt = ToolCalling & { budget: ProgressBudget; onReply: () => void };

async function callOnce(
  run: Run,
  call: PlacedCall,
  { tool, signal, sink, budget, onReply }: ToolAttempt,
): Promise<ToolOutcome> {
  const problems = findSchemaProblems(tool.inputSchema, call.args);
  if (problems.length > 0) {
    const lines = problems.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('; ');
    return failTool(call, 'tool-arguments-invalid', `The arguments do not match the schema of ${tool.name}: ${lines}`);
  }
  const { bus } = run.deps.access;
  const service = findService(run, tool.name);
  if (service === undefined)
    return failTool(call, 'nobody-there', `No service that serves the tool ${tool.name} is running.`);
  const callId = crypto.randomUUID();
  const { requestContext, trace } = run.getState().request;
  const written = writeCall(call);
  if ('result' in written) return written;
  const { position, ...toolCall } = written.call;
  const stopped = new AbortController();
  const toClient = (parts: readonly Chunk[]) => sink(parts.map((part) => buildProgressChunk(run, call, part)));
  const progress = createOrderedSink(toClient, () => stopped.abort());
  const answer = await request(bus, {
    subject: bus.subjects.tool(service, tool.name),
    payload: {
      callId,
      run: run.ref,
      stepNumber: run.getState().steps.length,
      toolCall,
      position,
      ...resumeData(run, position),
      ...(tool.idempotent && { idempotencyKey: buildCallKey(run, position) }),
      requestContext,
      ...(trace && { trace }),
      timeoutMs: tool.timeoutMs,
    },
    reply: toolReplySchema,
    timeoutMs: tool.timeoutMs,
    signal: AbortSignal.any([signal, stopped.signal]),
    keepsTexts: 'reply',
    readProgress: (reply) => ('progress' in reply ? reply.sequence : 'final'),
    onProgress(reply) {
      if (!('progress' in reply)) return;
      onReply();
      if (budget.accepts(reply.progress)) progress.send(reply.progress);
      else stopped.abort();
    },
  });
  if ('error' in answer && (answer.error.code === 'timeout' || answer.error.code === 'cancelled')) {
    publish(bus, bus.subjects.cancelCalls(service), { callIds: [callId] });
  }
  // The client receives progress before the result too.
  const interrupt = await progress.flush();
  if (interrupt) return { interrupt };
  if (budget.isSpent())
    return reportUnknownOutcome(call, 'tool-progress-too-large', `${tool.name} ${TOO_MUCH_PROGRESS}`);
  if ('error' in answer) return failUnansweredTool(call, answer.error);
  if ('result' in answer.ok) return withOrigin(run, finishCall(call, answer.ok));
  if ('suspended' in answer.ok) return suspendCall(call, answer.ok.suspended);
  if ('error' in answer.ok) return failTool(call, answer.ok.error.code, answer.ok.error.message);
  return failTool(call, 'tool-failed', `${tool.name} returned no result.`);
}

/** Returns the service of the plan, so that another service which serves a tool of that name receives none of its calls. */
function findService({ plan, deps }: Run, tool: string): string | undefined {
  return getOwnMember(plan.toolRules ?? {}, tool)?.service ?? deps.discovery.findServiceOfTool(tool);
}

/**
 * Returns the idempotency key: never the provider's id, which repeats in other steps and tenants. A repeated step makes
 * other calls: its retries are part of the key.
 */
function buildCallKey(run: Run, position: number): string {
  const { tenant, runId } = run.ref;
  const { steps, retryCount } = run.getState();
  const key = `${tenant}.${runId}.${steps.length}.${position}`;
  return retryCount === 0 ? key : `${key}.${retryCount}`;
}

/** Returns the answer to the tool's own suspension. */
function resumeData(run: Run, position: number): { resumeData?: JsonValue } {
  const resumed = findPendingAt(run, undefined, position)?.resumed;
  return resumed ? { resumeData: resumed.data } : {};
}

function suspendCall(
  call: PlacedCall,
  asked: { payload: JsonValue; expiresInSeconds?: number | undefined },
): ToolOutcome {
  const problem = findSuspensionProblem(asked.payload, asked.expiresInSeconds);
  return problem === undefined ? { suspended: asked } : failTool(call, 'tool-failed', problem);
}

/**
 * Returns the call with its final text, and with numbers in their own digits: a tool in another language reads them from `args`.
 */
function writeCall(call: PlacedCall): { call: PlacedCall } | { result: PlacedResult } {
  const { args, argsText } = call;
  if (argsText === undefined) return { call };
  try {
    const text = writeWithText(args, argsText, 'args');
    return { call: { ...call, args: replaceInexact(args, text, writeNumber), argsText: text } };
  } catch (error) {
    const { message } = toWireError(error, 'number-inexact');
    return { result: { ...call, result: { error: { code: 'number-inexact', message } }, isError: true } };
  }
}

function finishCall(
  call: PlacedCall,
  { result, resultText }: { result: JsonValue; resultText?: string | undefined },
): ToolOutcome {
  if (isNestedDeeper(result, MAX_VALUE_NESTING)) {
    const message = `${call.toolName} has run, but its result exceeds the maximum nesting of ${MAX_VALUE_NESTING} levels.`;
    return failTool(call, 'tool-failed', message);
  }
  const length = measureJson(result, resultText);
  if (length <= MAX_RESULT_CHARS)
    return { result: { ...call, result, ...nameText('result', resultText), isError: false } };
  const message = `${call.toolName} has run, but its result of ${length} characters exceeds the maximum of ${MAX_RESULT_CHARS}.`;
  return failTool(call, 'message-too-large', message);
}

/**
 * Marks a result that repeats the answer of a caller to the tool's question, alone or as the member `answer`: any other text of the
 * tool has an origin of its own.
 */
function withOrigin(run: Run, called: ToolOutcome): ToolOutcome {
  if (!('result' in called) || called.result.isError) return called;
  const { position, result } = called.result;
  const asked = findPendingAt(run, undefined, position);
  if (asked?.kind !== 'question' || !asked.resumed) return called;
  const { data } = asked.resumed;
  const isAnswer = isDeepStrictEqual(result, data) || isDeepStrictEqual(result, { answer: data });
  return isAnswer ? { result: { ...called.result, origin: 'caller' } } : called;
}

/** Reports a call that an earlier owner began and that must not be repeated. */
export function reportLostCall(call: PlacedCall): PlacedResult {
  const message = `${call.toolName} was called, and the calling orchestrator was lost before the result.`;
  return withUnknownOutcome(call, 'tool-outcome-unknown', message);
}

/** The tool was not reached only with these codes; with any other one the outcome is unknown. */
const NOT_REACHED: readonly ErrorCode[] = ['nobody-there', 'bus-unreachable', 'not-json'];
const CODES: Partial<Record<ErrorCode, ErrorCode>> = { 'nobody-there': 'tool-not-there', timeout: 'tool-timeout' };

function failUnansweredTool(call: PlacedCall, { code, message }: Pick<WireError, 'code' | 'message'>): ToolOutcome {
  const named = getOwnMember(CODES, code) ?? code;
  return NOT_REACHED.includes(code) ? failTool(call, named, message) : reportUnknownOutcome(call, named, message);
}

const checkFirst = 'The outcome of the tool is unknown: check it before you call the tool again.';

function withUnknownOutcome(call: PlacedCall, code: ErrorCode, message: string): PlacedResult {
  const result: JsonValue = { error: { code, message, remedy: checkFirst }, outcome: 'unknown' };
  return { ...call, result, isError: true };
}
const reportUnknownOutcome = (call: PlacedCall, code: ErrorCode, message: string): ToolOutcome => ({
  result: withUnknownOutcome(call, code, message),
});

/** Passes custom chunks as they are, and wraps all other chunks of the tool. */
function buildProgressChunk(run: Run, { toolCallId, toolName }: PlacedCall, part: Chunk): Chunk {
  if (isDataChunk(part)) return { ...part, runId: run.ref.runId };
  return makeChunk(run.ref.runId, { type: 'tool-output', payload: { toolCallId, toolName, output: part } });
}

function failTool(call: PlacedCall, code: ErrorCode, message: string): ToolOutcome {
  const result: JsonValue = { error: { code, message } };
  return { result: { ...call, result, isError: true } };
}
