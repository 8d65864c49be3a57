// The tools of a step: all calls are judged first, in order; what was judged, and which calls are begun, is a checkpoint; then the allowed
// ones run at once, and each raw result is a checkpoint. A call is known by its position in the answer: a provider may use one id twice.
// A call that may not be made twice never is: begun by an owner that was lost, its outcome is unknown.
import type { PlacedCall, PlacedResult, StageInput, ToolCall, ToolDefinition } from '@millrace/contracts';
import { callTool, lostCall } from './tool-client.ts';
import type { Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';

/** Calls of one answer that run at once. */
const MAX_CALLS_AT_ONCE = 8;

/** processToolCall for all calls of the answer. */
export async function judgeCalls(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.state();
  if (!open?.answer || open.calls) return undefined;
  const calls: PlacedCall[] = [];
  const denied: PlacedResult[] = [];
  for (const [position, toolCall] of open.answer.toolCalls.entries()) {
    const tool = open.tools.find((known) => known.name === toolCall.toolName);
    if (!tool) {
      denied.push({ ...unknownTool(toolCall, open.tools), position });
      continue;
    }
    const result = await runStage(run, 'processToolCall', toolInput(run, toolCall, tool), { subject: tool.name });
    if (result.interrupt) return result.interrupt;
    const judged = result.input.toolCall ?? toolCall;
    if (result.answer?.type === 'deny') {
      const { reason, code } = result.answer;
      denied.push({
        ...judged,
        position,
        result: { denied: true, reason, ...(code !== undefined && { code }) },
        isError: true,
        denied: true,
      });
    } else calls.push({ ...judged, position });
  }
  run.dispatch({ action: 'calls-judged', calls, denied });
  return undefined;
}

/** What is judged and has no result yet. The first interrupt gives the other calls up. */
export async function runCalls(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.state();
  if (!open || open.closed) return undefined;
  const finished = new Set(open.results.map(({ position }) => position));
  const unfinished = (open.calls ?? []).filter(({ position }) => !finished.has(position));
  if (unfinished.length === 0) return undefined;
  for (const call of unfinished)
    if (isBegun(run, call)) run.dispatch({ action: 'tool-finished', result: lostCall(call) });
  const left = unfinished.filter((call) => !isBegun(run, call));
  for (const call of left.slice(0, MAX_CALLS_AT_ONCE)) begin(run, call);
  const refused = await run.checkpoint();
  if (refused) return refused;
  const giveUp = new AbortController();
  const signal = AbortSignal.any([run.signal, giveUp.signal]);
  let interrupt: Interrupt | undefined;
  let broken: { error: unknown } | undefined;
  const callNext = async (call: PlacedCall) => {
    const tool = open.tools.find((known) => known.name === call.toolName);
    if (!tool) return;
    if (begin(run, call)) {
      interrupt ??= await run.checkpoint();
      if (interrupt) return giveUp.abort();
    }
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
      while (!signal.aborted && !run.isLeaving()) {
        const call = left.shift();
        if (!call) return;
        await callNext(call);
      }
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

const isBegun = (run: Run, { position }: PlacedCall): boolean => run.state().open?.begun.includes(position) === true;

/** Whether that is new, and must be stored before the call is made. */
function begin(run: Run, call: PlacedCall): boolean {
  const tool = run.state().open?.tools.find(({ name }) => name === call.toolName);
  if (!tool || tool.idempotent || isBegun(run, call)) return false;
  run.dispatch({ action: 'call-begun', position: call.position });
  return true;
}

export function toolInput(run: Run, { toolCallId, toolName, args }: ToolCall, tool: ToolDefinition): StageInput {
  const { retryCount, steps, conversation } = run.state();
  return { retryCount, stepNumber: steps.length, conversation, toolCall: { toolCallId, toolName, args }, tool };
}

function unknownTool(call: ToolCall, tools: ToolDefinition[]): Omit<PlacedResult, 'position'> {
  const names = tools.map((tool) => tool.name).join(', ');
  const error = {
    code: 'tool-unknown',
    message: `There is no tool "${call.toolName}".`,
    remedy: `The tools are: ${names}.`,
  };
  return { ...call, result: { error }, isError: true };
}
