// processInput: once, before the loop. What it leaves is the first checkpoint.
import { dataSink } from '../stages/send-chunks.ts';
import type { Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';

export async function inputStage(run: Run): Promise<Interrupt | undefined> {
  const { inputPassed, conversation, retryCount } = run.state();
  if (inputPassed) return undefined;
  const { interrupt } = await runStage(run, 'processInput', { retryCount, stepNumber: 0, conversation }, dataSink(run));
  if (interrupt) return interrupt;
  run.dispatch({ action: 'input-passed' });
  return run.checkpoint();
}
