// Ends a run as the last batch of its step's own sessions. If no entry judges the answer before that, step-finish and
// finish pass the output stream's processors after it, and the answer, the closed step and the passed finish share one
// checkpoint.
import {
  listEntries,
  readMessageText,
  readToolCalls,
  type Chunk,
  type RunAction,
  type Stage,
  type StepAnswer,
} from '@millrace/contracts';
import type { StepModelCall } from '../model/step-call.ts';
import type { LastChunks, StreamedStep } from '../model/step-stream.ts';
import { addRejected, rejectWholeRun, type Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { reduceRun } from '../state/run-state.ts';
import { makeFinishChunk, makeStepFinish } from '../transcript/finish-chunks.ts';
import { takeFinish } from './guard-finish-chunk.ts';
import { hasChangedAnswers } from '../transcript/replace-answers.ts';
import { listResultEntries } from './judge-result.ts';

/** Stages that see the answer before the finish and may change its text. */
const BEFORE_FINISH: readonly Stage[] = ['processLLMResponse', 'processOutputStep'];

export function makeClosingChunks(run: Run, call: StepModelCall): LastChunks | undefined {
  const isJudged = BEFORE_FINISH.some((stage) => listEntries(run.plan, stage).length > 0);
  // An object passes the processors before the finish, and so do earlier answers that processors changed.
  if (isJudged || call.structuredOutput || hasChangedAnswers(run)) return undefined;
  return (streamed) => {
    const answer = buildAnswer(call, streamed);
    if (answer.toolCalls.length > 0) return [];
    const closed = listClosingActions(answer, call).reduce(reduceRun, run.getState());
    const after: Run = { ...run, getState: () => closed };
    return [makeStepFinish(after), makeFinishChunk(after, answer.finishReason)];
  };
}

/** Builds the answer from the chunks that passed, before any stage has judged it as a whole. */
export function buildAnswer(call: StepModelCall, streamed: StreamedStep): StepAnswer {
  const { builder, finishReason, usage, latencyMs, providerMetadata } = streamed;
  const message = builder.buildMessage();
  const [warnings, response] = [builder.readWarnings(), builder.readResponse()];
  return {
    message,
    text: readMessageText(message),
    reasoning: builder.readReasoning(),
    toolCalls: readToolCalls(message),
    finishReason,
    usage,
    model: call.model,
    fromCache: call.cached !== undefined,
    ...(latencyMs !== undefined && { latencyMs }),
    ...(warnings.length > 0 && { warnings }),
    ...(response && { response }),
    ...(providerMetadata && { providerMetadata }),
    ...(builder.isMixed() && { mixed: true as const }),
  };
}

/** Returns the actions of accepting the answer. */
function listClosingActions(answer: StepAnswer, { tools }: StepModelCall): RunAction[] {
  return [
    { action: 'messages-changed', ops: [{ op: 'add', source: 'response', message: answer.message }] },
    { action: 'answer-accepted', answer, tools },
    { action: 'step-closed', results: [] },
  ];
}

/**
 * Accepts the chunks that passed after the answer: the step is closed. If memory is next, the result counts as judged.
 */
export function closeRun(run: Run, passed: readonly Chunk[]): Interrupt | undefined {
  run.dispatch({ action: 'step-closed', results: [] });
  const taken = takeFinish(run, passed);
  if ('interrupt' in taken) return taken.interrupt;
  const [before, saving] = listResultEntries(run);
  const isJudged = before.length === 0 && saving.length > 0;
  run.dispatch({ action: isJudged ? 'result-judged' : 'finish-passed', finish: taken.finish });
  return undefined;
}

/** Rejects the run at its finish, which repeats the run's whole text. The cost of the answer counts all the same. */
export function rejectRun(run: Run, interrupt: Interrupt): Interrupt {
  run.dispatch({ action: 'step-closed', results: [] });
  return addRejected(interrupt, rejectWholeRun(run.getState()));
}
