// The tools of a step: all calls are judged first, in order; the allowed ones run at once; each raw result is a checkpoint; then
// their results are judged in call order, and the step is closed.
import type { Chunk, StageInput, ToolCall, ToolDefinition, ToolResult } from '@millrace/contracts';
import { callTool } from './tool-client.ts';
import { chunk } from '../state/make-chunk.ts';
import { dataSink, sendChunks } from '../stages/send-chunks.ts';
import type { Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { stepFinish } from './finish-run.ts';

/** Calls that run at once. Source: semantics.md, section 3, "Tools". */
const MAX_CALLS_AT_ONCE = 8;

/** processToolCall for all calls of the answer. */
export async function judgeCalls(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.state();
  if (!open?.answer || open.calls) return undefined;
  const calls: ToolCall[] = [];
  const denied: ToolResult[] = [];
  for (const toolCall of open.answer.toolCalls) {
    const tool = open.tools.find((known) => known.name === toolCall.toolName);
    if (!tool) {
      denied.push(unknownTool(toolCall, open.tools));
      continue;
    }
    const result = await runStage(run, 'processToolCall', toolInput(run, toolCall, tool), dataSink(run), tool.name);
    if (result.interrupt) return result.interrupt;
    const judged = result.input.toolCall ?? toolCall;
    if (result.answer?.type === 'deny') {
      const { reason, code } = result.answer;
      denied.push({
        ...judged,
        result: { denied: true, reason, ...(code !== undefined && { code }) },
        isError: true,
        denied: true,
      });
    } else calls.push(judged);
  }
  run.dispatch({ action: 'calls-judged', calls, denied });
  return undefined;
}

/** What is judged and has no result yet. The first thing that takes the run off its way gives the other calls up. */
export async function runCalls(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.state();
  if (!open || open.closed) return undefined;
  const finished = new Set(open.results.map((result) => result.toolCallId));
  const left = (open.calls ?? []).filter((call) => !finished.has(call.toolCallId));
  const giveUp = new AbortController();
  const signal = AbortSignal.any([run.signal, giveUp.signal]);
  let interrupt: Interrupt | undefined;
  let broken: { error: unknown } | undefined;
  const callNext = async (call: ToolCall) => {
    const tool = open.tools.find((known) => known.name === call.toolName);
    if (!tool) return;
    const called = await callTool(run, call, tool, signal);
    if (signal.aborted) return;
    if ('result' in called) run.dispatch({ action: 'tool-finished', result: called.result });
    const stopped = 'interrupt' in called ? called.interrupt : await run.checkpoint();
    if (!stopped) return;
    interrupt ??= stopped;
    giveUp.abort();
  };
  const worker = async () => {
    try {
      for (let call = left.shift(); call && !signal.aborted; call = left.shift()) await callNext(call);
    } catch (error) {
      broken ??= { error };
      giveUp.abort();
    }
  };
  // All of them, also when one breaks: nobody may write the state or publish once the run goes on.
  await Promise.all(Array.from({ length: Math.min(left.length, MAX_CALLS_AT_ONCE) }, worker));
  if (broken) throw broken.error;
  return interrupt ?? run.interruption();
}

/** processToolResult for all results, in call order; then the step is closed. */
export async function closeStep(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.state();
  if (!open?.answer || open.closed) return undefined;
  const results: ToolResult[] = [];
  for (const { toolCallId } of open.answer.toolCalls) {
    const raw = open.results.find((result) => result.toolCallId === toolCallId);
    if (!raw) continue;
    const tool = open.tools.find((known) => known.name === raw.toolName);
    if (!tool || raw.denied) {
      results.push(raw);
      continue;
    }
    const { result, isError } = raw;
    const judged = await runStage(
      run,
      'processToolResult',
      { ...toolInput(run, raw, tool), result, isError },
      dataSink(run),
      tool.name,
    );
    if (judged.interrupt) return judged.interrupt;
    results.push({ ...raw, result: judged.input.result ?? null, isError: judged.input.isError ?? isError });
  }
  run.dispatch({ action: 'step-closed', results });
  if (results.length === 0) return undefined;
  const chunks = results.map((result) => resultChunk(run.ref.runId, result));
  // The last step's finish goes with the run's, in one message.
  return sendChunks(run, isLastStep(run) ? chunks : [...chunks, stepFinish(run)]);
}

export function isLastStep(run: Run): boolean {
  const { open, steps } = run.state();
  return open?.closed === true && (open.answer?.toolCalls.length === 0 || steps.length >= run.agent.maxSteps);
}

function toolInput(run: Run, { toolCallId, toolName, args }: ToolCall, tool: ToolDefinition): StageInput {
  const { retryCount, steps, conversation } = run.state();
  return { retryCount, stepNumber: steps.length, conversation, toolCall: { toolCallId, toolName, args }, tool };
}

function unknownTool(call: ToolCall, tools: ToolDefinition[]): ToolResult {
  const names = tools.map((tool) => tool.name).join(', ');
  const error = {
    code: 'tool-unknown',
    message: `There is no tool "${call.toolName}".`,
    remedy: `The tools are: ${names}.`,
  };
  return { ...call, result: { error }, isError: true };
}

function resultChunk(runId: string, { toolCallId, toolName, args, result, isError, denied }: ToolResult): Chunk {
  const head = { toolCallId, toolName };
  if (denied) return chunk(runId, { type: 'tool-output-denied', payload: { ...head, ...deniedOf(result) } });
  if (isError) return chunk(runId, { type: 'tool-error', payload: { ...head, args, error: result } });
  return chunk(runId, { type: 'tool-result', payload: { ...head, args, result } });
}

function deniedOf(result: unknown): object {
  return typeof result === 'object' && result !== null && 'reason' in result ? { ...result } : { reason: 'Denied.' };
}
