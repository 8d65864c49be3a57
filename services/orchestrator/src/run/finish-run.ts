// Ends a successful run. `finish` passes the output stream's processors and is buffered; its messages, as they passed,
// replace those of the conversation, so that processOutputResult and memory see the passed text. Changes of
// processOutputResult pass the processors again. Once memory saves, a stop is too late, for the next owner too: a
// checkpoint stores that the result was judged.
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { makeFinishChunk, makeStepFinish } from '../transcript/finish-chunks.ts';
import { judgeResult } from './judge-result.ts';
import { passChanged } from './pass-answers.ts';
import { guardFinishChunk, type PassedFinish } from './guard-finish-chunk.ts';
import { listResultEntries } from './judge-result.ts';
import { saveResult } from './save-result.ts';

export async function finishRun(run: Run): Promise<Interrupt> {
  const { finish } = run.getState();
  const [before, saving] = listResultEntries(run);
  const judged = finish ? { finish } : await judgeFinish(run, before);
  if ('interrupt' in judged) return judged.interrupt;
  return saving.length > 0 ? saveResult(run, saving, judged.finish) : { form: 'finish', finish: judged.finish };
}

async function judgeFinish(run: Run, before: string[]): Promise<PassedFinish> {
  const passed = await guardFirstFinish(run);
  return 'interrupt' in passed ? passed : judgeResult(run, before, passed.finish);
}

/** If processOutputResult has suspended the run, the finish has passed before. */
async function guardFirstFinish(run: Run): Promise<PassedFinish> {
  const { passed, steps } = run.getState();
  if (passed) return { finish: passed };
  const stopped = await passChanged(run);
  if (stopped) return { interrupt: stopped };
  const reason = steps.at(-1)?.finishReason ?? 'other';
  return guardFinishChunk(run, makeFinishChunk(run, reason), [makeStepFinish(run)]);
}
