// A run, from its input to its ending: the stages as statements, in order. Stages return early if their result is in RunState, so
// recovery re-enters this loop; each gives undefined (the run continues) or an interrupt.
import { retract } from '../state/retract.ts';
import { answerStage } from './answer-stage.ts';
import { closeStep, isLastStep } from './close-step.ts';
import { endWith, type Interrupt, type Outcome } from '../state/interrupt.ts';
import { finishRun } from './finish-run.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { awaitCalls, judgeCalls, runCalls } from './tool-calls.ts';

export async function runLoop(run: Run): Promise<Outcome> {
  const { rejection } = run.state();
  if (rejection) return endWith(rejection);
  try {
    for (;;) {
      const own = (await inputStage(run)) ?? (await steps(run)) ?? (await finishRun(run));
      // Whatever the run came to: who judges the input beside it has the last word.
      const interrupt = (await run.overlap.settled()) ?? own;
      if (interrupt.kind !== 'rewind') return interrupt;
      const stopped = await rewind(run, interrupt);
      if (stopped) return stopped;
    }
  } finally {
    await run.overlap.end();
  }
}

/** processInput: once. What it leaves is the first checkpoint, written while sessions are opened and the model is asked. */
async function inputStage(run: Run): Promise<Interrupt | undefined> {
  const { inputPassed, conversation, retryCount } = run.state();
  if (inputPassed) return undefined;
  const { interrupt } = await runStage(run, 'processInput', { retryCount, stepNumber: 0, conversation });
  if (interrupt) return interrupt;
  run.dispatch({ action: 'input-passed' });
  if (run.isLeaving() || run.overlap.isDecided()) {
    const stopped = await run.overlap.settled();
    if (stopped) return stopped;
  }
  if (run.isLeaving()) return run.rest();
  // The first checkpoint comes after the verdict: who takes the run over before it judges again.
  if (!run.overlap.isPending()) run.beginCheckpoint();
  return undefined;
}

/** A step: an answer, its tool calls, their results. A step with calls is followed by another. */
async function steps(run: Run): Promise<Interrupt | undefined> {
  while (!isLastStep(run)) {
    const interrupt =
      run.interruption() ??
      openStep(run) ??
      (await answerStage(run)) ??
      (await run.rest()) ??
      (await judgeCalls(run)) ??
      (await runCalls(run)) ??
      (await awaitCalls(run)) ??
      (await run.rest()) ??
      (await closeStep(run)) ??
      (await run.rest());
    if (interrupt) return interrupt;
  }
  return undefined;
}

function openStep(run: Run): undefined {
  const { open } = run.state();
  if (!open || open.closed) run.dispatch({ action: 'step-opened', firstIndex: run.chunks.nextIndex() });
}

/** What was published of the rejected part is taken back; the model gets the reason. A checkpoint first: what is rejected stays so. */
async function rewind(
  run: Run,
  { to, feedback }: Extract<Interrupt, { kind: 'rewind' }>,
): Promise<Outcome | undefined> {
  const { open, firstIndex } = run.state();
  const stepFrom = open?.firstIndex ?? run.chunks.nextIndex();
  const from = to === 'input' ? firstIndex : stepFrom;
  run.chunks.drop(from);
  run.dispatch({ action: 'rewound', to, feedback });
  const stopped = await run.checkpoint(from).finally(() => retract(run, from, 'retry'));
  return stopped ?? run.rest();
}
