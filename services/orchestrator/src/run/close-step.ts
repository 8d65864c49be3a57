// Ends a step: processToolResult judges its results in call order, they pass the output chain, and the passed ones
// close the step. A rejected result is in no message, step or memory.
import { nameText, pickCall, type Chunk, type ChunkOf, type PlacedResult, type ToolResult } from '@millrace/contracts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { guardChunks, publishOutside } from '../sessions/guard-chunks.ts';
import { isSuspension, addRejected, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { makeStepFinish } from '../transcript/finish-chunks.ts';
import { buildToolInput } from './tool-calls.ts';

export async function closeStep(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.getState();
  if (!open?.answer || open.closed) return undefined;
  const judged = await judgeResults(run);
  if ('interrupt' in judged) return judged.interrupt;
  const { results } = judged;
  if (results.length === 0) return close(run, []);
  return run.serialize(async () => {
    const chunks = results.map((result) => buildResultChunk(run.ref.runId, result));
    // The last step's finish is sent with the run's, in one message.
    const whole = endsWithStep(run) ? chunks : [...chunks, makeStepFinish(run)];
    const { chunks: passed, interrupt } = await guardChunks(run, whole);
    const stopped = run.checkInterruption();
    if (stopped) return stopped;
    if (interrupt) return addRejected(interrupt, { what: 'step', from: open.firstIndex });
    close(run, selectPassedResults(run, results, passed));
    publishOutside(run, passed);
    run.transcript.settleStep();
    return undefined;
  });
}

function close(run: Run, results: ToolResult[]): undefined {
  run.dispatch({ action: 'step-closed', results });
}

/** Returns whether no step follows the one that is open or was closed last. */
export function isLastStep(run: Run): boolean {
  return run.getState().open?.closed === true && endsWithStep(run);
}

function endsWithStep(run: Run): boolean {
  const { open, steps } = run.getState();
  const count = open?.closed ? steps.length : steps.length + 1;
  return open?.answer?.toolCalls.length === 0 || count >= run.agent.maxSteps;
}

async function judgeResults(run: Run): Promise<{ results: PlacedResult[] } | { interrupt: Interrupt }> {
  const { open } = run.getState();
  const results: PlacedResult[] = [...(open?.judged ?? [])];
  const before = new Set(results.map(({ position }) => position));
  for (const raw of open?.results.toSorted((one, other) => one.position - other.position) ?? []) {
    if (before.has(raw.position)) continue;
    const tool = open?.tools.find((known) => known.name === raw.toolName);
    if (!tool || raw.denied) {
      results.push(raw);
      continue;
    }
    const { result, resultText, isError, origin } = raw;
    const outcome = { result, ...nameText('result', resultText), isError, ...(origin && { resultOrigin: origin }) };
    const input = { ...buildToolInput(run, raw, tool), ...outcome };
    const about = { subject: tool.name, position: raw.position };
    const judged = await runStage(run, 'processToolResult', input, about);
    if (judged.interrupt) {
      if (isSuspension(judged.interrupt)) run.dispatch({ action: 'results-judged', results });
      return { interrupt: judged.interrupt };
    }
    results.push({ ...raw, result: judged.input.result ?? null, isError: judged.input.isError ?? isError });
  }
  return { results };
}

type ResultChunk = ChunkOf<'tool-result'> | ChunkOf<'tool-error'> | ChunkOf<'tool-output-denied'>;

function buildResultChunk(runId: string, { result, resultText, isError, denied, ...call }: ToolResult): Chunk {
  const head = pickCall(call);
  const { toolCallId, toolName } = call;
  if (denied)
    return makeChunk(runId, { type: 'tool-output-denied', payload: { toolCallId, toolName, ...readDenial(result) } });
  return isError
    ? makeChunk(runId, { type: 'tool-error', payload: { ...head, error: result, ...nameText('error', resultText) } })
    : makeChunk(runId, { type: 'tool-result', payload: { ...head, result, ...nameText('result', resultText) } });
}

function readDenial(result: unknown): object {
  return typeof result === 'object' && result !== null && 'reason' in result ? { ...result } : { reason: 'Denied.' };
}

/**
 * Returns each result as its chunk left the output chain; calls with one id in order. A result that was dropped there
 * is withheld. Arguments that a chunk does not carry are those of the answer, which have passed it.
 */
function selectPassedResults(run: Run, results: readonly PlacedResult[], passed: readonly Chunk[]): ToolResult[] {
  const left = passed.filter(isResultChunk);
  const calls = run.getState().open?.answer?.toolCalls ?? [];
  return results.map(({ position, toolCallId, toolName }) => {
    const at = left.findIndex(({ payload }) => payload.toolCallId === toolCallId);
    const [part] = at < 0 ? [] : left.splice(at, 1);
    const { args = null, argsText } = calls[position] ?? {};
    return { ...pickCall({ toolCallId, toolName, args, argsText }), ...(part ? readOutcome(part) : withheld) };
  });
}

function isResultChunk(part: Chunk): part is ResultChunk {
  return part.type === 'tool-result' || part.type === 'tool-error' || part.type === 'tool-output-denied';
}

type ResultOutcome = Partial<Pick<ToolResult, 'args' | 'argsText' | 'denied'>> &
  Pick<ToolResult, 'result' | 'resultText' | 'isError'>;

function readOutcome(part: ResultChunk): ResultOutcome {
  if (part.type === 'tool-output-denied') {
    const { reason, code } = part.payload;
    return { result: { denied: true, reason, ...(code !== undefined && { code }) }, isError: true, denied: true };
  }
  const { args, argsText } = part.payload;
  const withArgs = args === undefined ? {} : { args, ...nameText('args', argsText) };
  if (part.type === 'tool-error') {
    const { error, errorText } = part.payload;
    return { ...withArgs, result: error, ...nameText('result', errorText), isError: true };
  }
  const { result, resultText, isError = false } = part.payload;
  return { ...withArgs, result, ...nameText('result', resultText), isError };
}

const withheld = {
  result: { error: { code: 'tool-result-withheld', message: 'The output processors did not pass the result.' } },
  isError: true,
};
