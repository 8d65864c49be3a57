// Judges the files that a thread or a processor has added to the input, and refuses submitted files that no entry has passed.
import { buildTextMessage, listFileJudges, type PlanEntry, type StageInput } from '@millrace/contracts';
import { callProcessors } from '../calls/call-processors.ts';
import { createFold } from '../calls/verdict-fold.ts';
import type { StageData } from '../sessions/custom-chunks.ts';
import { keep, recordPassedFiles } from '../stages/fold-group.ts';
import { findUnpassedFile, listUnpassedFiles, selectPassed, type SubmittedFile } from '../settings/allowed-files.ts';
import { failInOwnWords, type Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';

const stage = 'processInput';
/** Maximum number of files of a thread that a run judges, the newest ones. A text replaces the others in the prompt. */
const MAX_FILES = 16;
const NO_DATA: StageData = { write: () => undefined, flush: async () => undefined };

/** The verdict on a file of a thread removes that file only: the caller has not submitted it. */
export async function judgeFiles(run: Run): Promise<Interrupt | undefined> {
  if (run.plan.files !== 'judged') return undefined;
  const { passedFiles, conversation } = run.getState();
  // An entry may have removed a file that another one has passed.
  const files = selectPassed(passedFiles, { conversation });
  if (files.length < passedFiles.length) run.dispatch({ action: 'files-passed', files });
  const refused = findUnpassedFile(run.getState());
  if (refused) return failInOwnWords(refused);
  const others = listUnpassedFiles(run.getState()).slice(-MAX_FILES);
  if (others.length === 0) return undefined;
  const judges = listFileJudges(run.plan);
  if (!(await askJudges(run, judges, others)) && others.length > 1)
    for (const file of others) if (!run.signal.aborted) await askJudges(run, judges, [file]);
  return run.checkInterruption();
}

/** Returns whether the judges have judged all files. Each file is a message of its own, so that a judge can remove it. */
async function askJudges(run: Run, judges: readonly PlanEntry[], files: readonly SubmittedFile[]): Promise<boolean> {
  const { retryCount, steps } = run.getState();
  const entries = files.map((part, at) => ({
    source: 'input' as const,
    message: {
      ...buildTextMessage(`${run.ref.runId}-file-${at}`, 'user', ''),
      content: { format: 2 as const, parts: [part] },
    },
  }));
  const input: StageInput = { retryCount, stepNumber: steps.length, conversation: { entries, system: [] } };
  const started = performance.now();
  let fold = createFold(input);
  for await (const judged of callProcessors(run, judges, { stage, input, receiveData: NO_DATA.write })) {
    if (run.signal.aborted) return false;
    fold = keep(run, fold, judged, NO_DATA, []);
    if (fold.stopped) break;
  }
  const { outcomes, violations, stopped, passedFiles } = fold;
  if (violations.length > 0) run.dispatch({ action: 'violations-found', violations });
  const ms = performance.now() - started;
  run.events.record({ event: 'stage', stage, step: steps.length, ms, entries: outcomes, subject: 'files' });
  if (!stopped) recordPassedFiles(run, { ...fold, passedFiles: selectPassed(passedFiles, fold.input) });
  return !stopped;
}
