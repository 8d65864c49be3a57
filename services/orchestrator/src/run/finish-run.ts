// The end of a run that went well. `finish` passes the output stream's processors and is held; what they made of its messages is the
// conversation from there on, so that processOutputResult and memory see what was let through. What processOutputResult changes
// passes them again. Once memory saves, stopping the run is too late, for its next owner too: that it was judged is a checkpoint.
import { endWith, type Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { finishChunk, stepFinish } from './finish-chunks.ts';
import { judgeResult } from './judge-result.ts';
import { remakeReworded } from './remake-held.ts';
import { passFinish, type PassedFinish } from './pass-finish.ts';
import { resultEntries } from './result-entries.ts';
import { saveResult } from './save-result.ts';

export async function finishRun(run: Run): Promise<Interrupt> {
  const { finish } = run.state();
  const [before, saving] = resultEntries(run);
  const judged = finish ? { finish } : await judgeFinish(run, before);
  if ('interrupt' in judged) return judged.interrupt;
  return saving.length > 0
    ? saveResult(run, saving, judged.finish)
    : endWith({ form: 'finish', finish: judged.finish });
}

async function judgeFinish(run: Run, before: string[]): Promise<PassedFinish> {
  const passed = await firstFinish(run);
  return 'interrupt' in passed ? passed : judgeResult(run, before, passed.finish);
}

/** Where processOutputResult has suspended, the finish has passed before. */
async function firstFinish(run: Run): Promise<PassedFinish> {
  const { passed, steps } = run.state();
  if (passed) return { finish: passed };
  const stopped = await remakeReworded(run);
  if (stopped) return { interrupt: stopped };
  const reason = steps.at(-1)?.finishReason ?? 'other';
  return passFinish(run, finishChunk(run, reason), [stepFinish(run)]);
}
