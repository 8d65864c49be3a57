// A run, from its input to its ending: the stages as statements, in order. A statement whose record is in the state does nothing,
// so that going on after a checkpoint is the same walk; each gives undefined (go on) or what takes the run off its way.
import { retract } from '../stages/retract.ts';
import { answerStage } from './answer-stage.ts';
import { inputStage } from './input-stage.ts';
import type { Ending, Interrupt } from '../state/interrupt.ts';
import { outputResult } from './finish-run.ts';
import type { Run } from '../state/run-context.ts';
import { closeStep, isLastStep, judgeCalls, runCalls } from './tool-calls.ts';

export async function runLoop(run: Run): Promise<Ending> {
  for (;;) {
    const interrupt = (await inputStage(run)) ?? (await steps(run)) ?? (await outputResult(run));
    if (interrupt.kind === 'end') return interrupt.ending;
    rewind(run, interrupt);
  }
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

/** What was published of the rejected part is taken back; the model gets the reason. */
function rewind(run: Run, { to, feedback }: Extract<Interrupt, { kind: 'rewind' }>): void {
  const { open } = run.state();
  retract(run, open?.firstIndex ?? run.chunks.nextIndex(), 'retry');
  run.dispatch({ action: 'rewound', to, feedback });
}
