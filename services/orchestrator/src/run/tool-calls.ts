// Runs the tools of a step. All calls are judged first, in order; a checkpoint stores the verdicts and the begun calls;
// then the allowed calls run concurrently, and each raw result is a checkpoint. A call is identified by its position in
// the answer, because a provider may use one id twice. A call that must not be repeated is never repeated: if its owner
// is lost, its outcome is unknown. Finally the run waits for approvals and for answers to tools that asked.
import { isDeepStrictEqual } from 'node:util';
import {
  pickCall,
  type HeldPending,
  type PlacedCall,
  type PlacedResult,
  type StageInput,
  type ToolCall,
  type ToolDefinition,
} from '@millrace/contracts';
import { callTool, reportLostCall, type ToolOutcome } from '../calls/tool-client.ts';
import { callClient } from './client-calls.ts';
import { fitResult } from './result-room.ts';
import { sendChunks } from '../sessions/guard-chunks.ts';
import { isSuspension, SUSPEND, type Interrupt } from '../state/interrupt.ts';
import { isClientTool } from '../settings/client-tools.ts';
import { askPending, findPendingAt } from '../state/pending.ts';
import { runStage } from '../stages/run-stage.ts';
import { resumePoint } from '../stages/suspend-stage.ts';
import type { Run } from '../state/run-context.ts';
import { createToolPlaces, findExhausted, listFirst } from './tool-limits.ts';
import { judgeUntrusted, settleUntrusted } from './untrusted-calls.ts';

/** Maximum number of concurrent calls of one answer. */
const MAX_CALLS_AT_ONCE = 8;

/** Runs processToolCall for all calls of the answer. A call that waits for an approval does not delay the others. */
export async function judgeCalls(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.getState();
  if (!open?.answer || open.calls || open.closed) return undefined;
  const calls: PlacedCall[] = [];
  const denied: PlacedResult[] = [];
  for (const [position, toolCall] of open.answer.toolCalls.entries()) {
    const judged = await judgeCall(run, { ...toolCall, position }, calls);
    if ('interrupt' in judged) return judged.interrupt;
    if ('denied' in judged) denied.push(judged.denied);
    if ('call' in judged) calls.push(judged.call);
  }
  run.dispatch({ action: 'calls-judged', calls, denied });
  return undefined;
}

type JudgedCall = { call: PlacedCall } | { denied: PlacedResult } | { waits: true } | { interrupt: Interrupt };

/** @param allowed calls of the answer that the state does not count yet */
async function judgeCall(
  run: Run,
  { position, ...toolCall }: PlacedCall,
  allowed: readonly PlacedCall[] = [],
): Promise<JudgedCall> {
  const { tools = [], answer } = run.getState().open ?? {};
  if (answer?.finishReason === 'length') return { denied: { ...createCutOffResult(toolCall), position } };
  const tool = tools.find((known) => known.name === toolCall.toolName);
  if (!tool) return { denied: { ...createUnknownToolResult(toolCall, tools), position } };
  const exhausted = findExhausted(run, { ...toolCall, position }, allowed);
  if (exhausted) return { denied: { ...exhausted, position } };
  const asked = findPendingAt(run, 'processToolCall', position);
  if (asked?.policy === 'untrusted') return resumeUntrusted(run, { ...toolCall, position }, tool);
  const judged = await judgeByEntries(run, { ...toolCall, position }, tool);
  return 'call' in judged ? judgeUntrusted(run, judged.call) : judged;
}

/** Runs processToolCall on the call, with the arguments of an operator if `changed` has them. */
async function judgeByEntries(
  run: Run,
  { position, ...toolCall }: PlacedCall,
  tool: ToolDefinition,
  changed?: Pick<StageInput, 'toolCall'>,
): Promise<JudgedCall> {
  const about = { subject: tool.name, position, ...(changed && { changed }) };
  const { input, stopped, interrupt } = await runStage(
    run,
    'processToolCall',
    buildToolInput(run, toolCall, tool),
    about,
  );
  if (interrupt) return isSuspension(interrupt) ? { waits: true } : { interrupt };
  const judged = { ...(input.toolCall ?? toolCall), position };
  if (stopped?.verdict.type !== 'deny') return { call: judged };
  const { reason, code } = stopped.verdict;
  const result = { denied: true, reason, ...(code !== undefined && { code }) };
  return { denied: { ...judged, result, isError: true, denied: true } };
}

/** The output chain judges the answer, as that to the question of an entry. */
async function resumeUntrusted(run: Run, call: PlacedCall, tool: ToolDefinition): Promise<JudgedCall> {
  const point = await resumePoint(run, 'processToolCall', call.position);
  if (!point) throw new Error('a question is not pending any more');
  if ('interrupt' in point) return isSuspension(point.interrupt) ? { waits: true } : point;
  const settled = settleUntrusted(run, point, call);
  if (!point.isEdited || !('call' in settled)) return settled;
  // No entry has judged the edited arguments yet. If one changes them, the operator has not approved the result.
  const judged = await judgeByEntries(run, call, tool, point.kept);
  if (!('call' in judged)) return judged;
  const { position: _, ...final } = judged.call;
  return isDeepStrictEqual(final, point.kept.toolCall) ? judged : judgeUntrusted(run, judged.call);
}

/** Judges and runs waiting calls that were answered; suspends the run while others still wait. */
export async function awaitCalls(run: Run): Promise<Interrupt | undefined> {
  for (;;) {
    const waiting = run.getState().pending.filter(isOfCall);
    if (waiting.length === 0) return undefined;
    const answered = waiting.filter(({ resumed }) => resumed);
    if (answered.length === 0) return SUSPEND;
    for (const one of answered) {
      const interrupt = await settleCall(run, one);
      if (interrupt) return interrupt;
    }
    const interrupt = await runCalls(run);
    if (interrupt) return interrupt;
  }
}

/** Returns whether the question is about the call itself: processToolResult asks for itself. */
const isOfCall = ({ stage, position }: HeldPending): boolean =>
  position !== undefined && (stage === undefined || stage === 'processToolCall');

/** A tool that asked is called again together with the others. */
async function settleCall(run: Run, { stage, position }: HeldPending): Promise<Interrupt | undefined> {
  const toolCall = run.getState().open?.answer?.toolCalls[position ?? -1];
  if (stage === undefined || !toolCall || position === undefined) return undefined;
  const judged = await judgeCall(run, { ...toolCall, position });
  if ('interrupt' in judged) return judged.interrupt;
  if ('waits' in judged) return undefined;
  run.dispatch({ action: 'call-judged', ...judged });
  return undefined;
}

/** Runs the judged calls without a result. The first interrupt abandons the others. */
export async function runCalls(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.getState();
  if (!open || open.closed) return undefined;
  const finished = new Set(open.results.map(({ position }) => position));
  const unfinished = (open.calls ?? []).filter(
    ({ position }) => !finished.has(position) && !isWaitingForAnswer(run, position),
  );
  if (unfinished.length === 0) return undefined;
  for (const call of unfinished)
    if (isBegun(run, call)) run.dispatch({ action: 'tool-finished', result: reportLostCall(call) });
  const left = unfinished.filter((call) => !isBegun(run, call));
  for (const call of listFirst(run, left).slice(0, MAX_CALLS_AT_ONCE)) beginCall(run, call);
  const refused = await run.checkpoint();
  if (refused) return refused;
  const giveUp = new AbortController();
  const signal = AbortSignal.any([run.signal, giveUp.signal]);
  let interrupt: Interrupt | undefined;
  let broken: { error: unknown } | undefined;
  const callNext = async (call: PlacedCall) => {
    const tool = open.tools.find((known) => known.name === call.toolName);
    if (!tool) return;
    if (beginCall(run, call)) {
      interrupt ??= await run.checkpoint();
      if (interrupt) return giveUp.abort();
    }
    const stopped = await makeCall(run, call, tool, signal);
    if (signal.aborted || !stopped) return;
    interrupt ??= stopped;
    giveUp.abort();
  };
  // Begun calls are made; if the run is handed over, other calls are left to its next owner.
  const places = createToolPlaces(run);
  const takeNext = () => {
    const at = left.findIndex((call) => places.isFree(call.toolName) && (!run.isLeaving() || isBegun(run, call)));
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const runWorker = async () => {
    try {
      for (let call = takeNext(); call && !signal.aborted; call = takeNext())
        await places.hold(call.toolName, callNext(call));
    } catch (error) {
      broken ??= { error };
      giveUp.abort();
    }
  };
  // Waits for all calls, even if one throws: none may write the state or publish once the run continues.
  await Promise.all(Array.from({ length: Math.min(left.length, MAX_CALLS_AT_ONCE) }, runWorker));
  if (broken) throw broken.error;
  return interrupt ?? run.checkInterruption();
}

/** Calls the tool, or puts the call to the caller, and stores the outcome. */
async function makeCall(
  run: Run,
  call: PlacedCall,
  tool: ToolDefinition,
  signal: AbortSignal,
): Promise<Interrupt | undefined> {
  if (isClientTool(run.getState().request, tool.name)) return callClient(run, call, signal);
  const called = await callTool(run, call, { tool, signal, sink: (chunks) => sendChunks(run, chunks) });
  if (signal.aborted) return undefined;
  return 'interrupt' in called ? called.interrupt : keep(run, called, call);
}

const isBegun = (run: Run, { position }: PlacedCall): boolean => run.getState().open?.begun.includes(position) === true;

/** Returns whether the call is newly begun and has to be stored before it is made. */
function beginCall(run: Run, call: PlacedCall): boolean {
  const tool = run.getState().open?.tools.find(({ name }) => name === call.toolName);
  if (!tool || tool.idempotent || isBegun(run, call)) return false;
  run.dispatch({ action: 'call-begun', position: call.position });
  return true;
}

/** Returns whether the call's tool has asked and is not answered yet. */
function isWaitingForAnswer(run: Run, position: number): boolean {
  const pending = findPendingAt(run, undefined, position);
  return pending !== undefined && !pending.resumed;
}

async function keep(
  run: Run,
  called: Exclude<ToolOutcome, { interrupt: Interrupt }>,
  { position, ...toolCall }: PlacedCall,
): Promise<Interrupt | undefined> {
  if ('result' in called) run.dispatch({ action: 'tool-finished', result: fitResult(run, called.result) });
  else askPending(run, { by: toolCall.toolName, toolCall, position, kept: {}, ...called.suspended });
  return run.checkpoint();
}

export function buildToolInput(run: Run, call: ToolCall, tool: ToolDefinition): StageInput {
  const { retryCount, steps, conversation } = run.getState();
  return { retryCount, stepNumber: steps.length, conversation, toolCall: pickCall(call), tool };
}

/** The model may not have written its last arguments, or further calls, as it intended. */
function createCutOffResult(call: ToolCall): Omit<PlacedResult, 'position'> {
  const error = {
    code: 'tool-call-cut-off',
    message: `The answer reached its token limit, so ${call.toolName} was not called.`,
    remedy: 'Call the tool again with a shorter answer.',
  };
  return { ...call, result: { error }, isError: true };
}

function createUnknownToolResult(call: ToolCall, tools: ToolDefinition[]): Omit<PlacedResult, 'position'> {
  const names = tools.map((tool) => tool.name).join(', ');
  const error = {
    code: 'tool-unknown',
    message: `There is no tool "${call.toolName}".`,
    remedy: `The tools are: ${names}.`,
  };
  return { ...call, result: { error }, isError: true };
}
