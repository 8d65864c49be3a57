// A run, from its input to its ending: the stages as statements, in order. Stages return early if their result is in RunState, so
// recovery re-enters this loop; each gives undefined (the run continues) or an interrupt.
import { retract } from '../state/retract.ts';
import { answerStage } from './answer-stage.ts';
import { closeStep, isLastStep } from './close-step.ts';
import { type Ending, type Interrupt } from '../state/interrupt.ts';
import { finishRun } from './finish-run.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { judgeCalls, runCalls } from './tool-calls.ts';

export async function runLoop(run: Run): Promise<Ending> {
  for (;;) {
    const interrupt = (await inputStage(run)) ?? (await steps(run)) ?? (await finishRun(run));
    if (interrupt.kind === 'end') return interrupt.ending;
    const stopped = await rewind(run, interrupt);
    if (stopped?.kind === 'end') return stopped.ending;
  }
}

/** processInput: once. What it leaves is the first checkpoint. */
async function inputStage(run: Run): Promise<Interrupt | undefined> {
  const { inputPassed, conversation, retryCount } = run.state();
  if (inputPassed) return undefined;
  const { interrupt } = await runStage(run, 'processInput', { retryCount, stepNumber: 0, conversation });
  if (interrupt) return interrupt;
  run.dispatch({ action: 'input-passed' });
  return run.checkpoint();
}

/** A step: an answer, its tool calls, their results. A step with calls is followed by another. */
async function steps(run: Run): Promise<Interrupt | undefined> {
  while (!isLastStep(run)) {
    const interrupt =
      run.interruption() ??
      openStep(run) ??
      (await answerStage(run)) ??
      (await judgeCalls(run)) ??
      (await runCalls(run)) ??
      (await closeStep(run));
    if (interrupt) return interrupt;
  }
  return undefined;
}

function openStep(run: Run): undefined {
  const { open } = run.state();
  if (!open || open.closed) run.dispatch({ action: 'step-opened', firstIndex: run.chunks.nextIndex() });
}

/** What was published of the rejected part is taken back; the model gets the reason. A checkpoint: what is rejected stays so. */
async function rewind(
  run: Run,
  { to, feedback }: Extract<Interrupt, { kind: 'rewind' }>,
): Promise<Interrupt | undefined> {
  const { open, firstIndex } = run.state();
  const stepFrom = open?.firstIndex ?? run.chunks.nextIndex();
  retract(run, to === 'input' ? firstIndex : stepFrom, 'retry');
  run.dispatch({ action: 'rewound', to, feedback });
  return run.checkpoint();
}
