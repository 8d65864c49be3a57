// The end of a run as the last batch of its step's own sessions: where nobody is to judge the answer before that, step-finish and finish
// pass the output stream's processors behind it, and the answer, the closed step and the passed finish are one checkpoint.
import {
  entriesOf,
  messageText,
  toolCallsOf,
  type Chunk,
  type RunAction,
  type Stage,
  type StepAnswer,
} from '@millrace/contracts';
import type { ModelCall } from '../model/ask-model.ts';
import type { LastChunks, Said } from '../model/step-stream.ts';
import { rejecting, wholeRun, type Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { reduceRun } from '../state/run-state.ts';
import { finishChunk, stepFinish } from './finish-chunks.ts';
import { takeFinish } from './pass-finish.ts';
import { rewordedIds } from './remake-held.ts';
import { resultEntries } from './result-entries.ts';

/** They see the answer before the finish does, and may change what it says. */
const BEFORE_FINISH: readonly Stage[] = ['processLLMResponse', 'processOutputStep'];

export function closingChunks(run: Run, call: ModelCall): LastChunks | undefined {
  const isJudged = BEFORE_FINISH.some((stage) => entriesOf(run.plan, stage).length > 0);
  // An object passes the processors before the finish, and so does what is to be made anew of the answers before.
  const isReworded = run.agent.release === 'result' && rewordedIds(run).size > 0;
  if (isJudged || call.structuredOutput || isReworded) return undefined;
  return (said) => {
    const answer = answerOf(call, said);
    if (answer.toolCalls.length > 0) return [];
    const closed = closedBy(answer, call).reduce(reduceRun, run.state());
    const after: Run = { ...run, state: () => closed };
    return [stepFinish(after), finishChunk(after, answer.finishReason)];
  };
}

/** As it was let through, before anybody has judged it as a whole. */
export function answerOf(call: ModelCall, said: Said): StepAnswer {
  const { builder, finishReason, usage, latencyMs, providerMetadata } = said;
  const message = builder.message();
  const [warnings, response] = [builder.warnings(), builder.response()];
  return {
    message,
    text: messageText(message),
    reasoning: builder.reasoning(),
    toolCalls: toolCallsOf(message),
    finishReason,
    usage,
    model: call.model,
    fromCache: call.cached !== undefined,
    ...(latencyMs !== undefined && { latencyMs }),
    ...(warnings.length > 0 && { warnings }),
    ...(response && { response }),
    ...(providerMetadata && { providerMetadata }),
  };
}

/** What accepting the answer will do. */
function closedBy(answer: StepAnswer, { tools }: ModelCall): RunAction[] {
  return [
    { action: 'messages-changed', ops: [{ op: 'add', source: 'response', message: answer.message }] },
    { action: 'answer-accepted', answer, tools },
    { action: 'step-closed', results: [] },
  ];
}

/** The answer is accepted, and what passed behind it stands: the step is closed. Where memory is next, the result is judged with that. */
export function closeRun(run: Run, passed: readonly Chunk[]): Interrupt | undefined {
  run.dispatch({ action: 'step-closed', results: [] });
  const taken = takeFinish(run, passed);
  if ('interrupt' in taken) return taken.interrupt;
  const [before, saving] = resultEntries(run);
  const isJudged = before.length === 0 && saving.length > 0;
  run.dispatch({ action: isJudged ? 'result-judged' : 'finish-passed', finish: taken.finish });
  return undefined;
}

/** A processor stopped at the finish, which says everything that the run has said. What the answer has cost is counted all the same. */
export function rejectRun(run: Run, interrupt: Interrupt): Interrupt {
  run.dispatch({ action: 'step-closed', results: [] });
  return rejecting(interrupt, wholeRun(run.state()));
}
