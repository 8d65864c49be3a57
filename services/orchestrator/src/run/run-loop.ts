// Runs a run from its input to its ending: the stages as statements, in order. A stage returns early if its result is
// in RunState, so recovery re-enters this loop. Each returns undefined (the run continues) or an interrupt.
import { listRunJudges, type MessageOp } from '@millrace/contracts';
import { answerStage } from './answer-stage.ts';
import { closeStep, isLastStep } from './close-step.ts';
import { failInOwnWords, isEnding, type Interrupt, type RunOutcome } from '../state/interrupt.ts';
import { finishRun } from './finish-run.ts';
import { judgeFiles } from './judge-files.ts';
import { selectReplaced } from './judge-result.ts';
import type { JudgedEntry } from '../calls/verdict-fold.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { addSchemaTexts, listDefinitionOrigins, removeSchemaTexts } from '../settings/schema-texts.ts';
import { readSubmittedChange, type RefusedChange } from '../changes/submitted-changes.ts';
import { awaitCalls, judgeCalls, runCalls } from './tool-calls.ts';

export async function runLoop(run: Run): Promise<RunOutcome> {
  const { rejection, restated } = run.getState();
  if (rejection) return rejection;
  if (restated) return { form: 'finish', finish: restated.finish, unsaved: restated.unsaved };
  try {
    for (;;) {
      const own = (await runInputStage(run)) ?? (await runSteps(run)) ?? (await finishRun(run));
      // The verdict of an overlapping group overrides the outcome of the run.
      const interrupt = (await run.overlap.awaitVerdict()) ?? own;
      if (interrupt.form !== 'rewind') return interrupt;
      const stopped = await rewind(run, interrupt);
      if (stopped) return stopped;
    }
  } finally {
    await run.overlap.end();
  }
}

/**
 * Runs processInput once. Its result is the first checkpoint, written while sessions are opened and the model is asked.
 */
async function runInputStage(run: Run): Promise<Interrupt | undefined> {
  if (run.getState().inputPassed) return undefined;
  const interrupt = (await judgeInput(run)) ?? (await judgeFiles(run));
  if (interrupt) return interrupt;
  run.dispatch({ action: 'input-passed' });
  if (run.isLeaving() || run.overlap.isDecided()) {
    const stopped = await run.overlap.awaitVerdict();
    if (stopped) return stopped;
  }
  if (run.isLeaving()) return run.handOverIfLeaving();
  // The first checkpoint follows the verdict: an owner that takes the run over before it judges again.
  if (!run.overlap.isPending()) run.beginCheckpoint();
  return undefined;
}

/** Runs the stage on the messages and the texts of the caller's schema and tools. */
async function judgeInput(run: Run): Promise<Interrupt | undefined> {
  changeMessages(run, addSchemaTexts(run.getState()));
  const origins = listDefinitionOrigins(run.getState());
  if (origins.length > 0) run.dispatch({ action: 'taint-found', entries: [], origins });
  const { conversation, retryCount } = run.getState();
  const { request } = run.getState();
  let changer: string | undefined;
  const onJudged = ({ entry, input }: JudgedEntry): void => {
    if (!input.conversation || changer !== undefined) return;
    if ('refused' in readSubmittedChange({ request, conversation: input.conversation })) changer = entry.entry;
  };
  const input = {
    retryCount,
    stepNumber: 0,
    conversation,
    judges: listRunJudges(run.plan),
    ...selectReplaced(request),
  };
  const { interrupt } = await runStage(run, 'processInput', input, { onJudged });
  // A stage that continues later judges the same messages.
  if (interrupt && !isEnding(interrupt)) return interrupt;
  const change = readSubmittedChange(run.getState());
  changeMessages(run, removeSchemaTexts(run.getState()));
  if (interrupt) return interrupt;
  if ('refused' in change) return failInOwnWords(createTextsChangedError(change.refused, changer));
  if (change.members) run.dispatch({ action: 'submitted-changed', ...change.members });
  return undefined;
}

function changeMessages(run: Run, ops: MessageOp[]): void {
  if (ops.length > 0) run.dispatch({ action: 'messages-changed', ops });
}

const CHANGED_TEXTS = {
  structuredOutput: 'of the schema of the answer',
  clientTools: 'of a tool of the caller',
  modelSettings: 'of the stop sequences',
};

const createTextsChangedError = ({ member, tool }: RefusedChange, entry: string | undefined) => ({
  code: 'run-refused' as const,
  path: member === 'modelSettings' ? 'modelSettings.stopSequences' : member,
  message: `"${entry ?? 'A processor of the input'}" has changed or removed a name or a value ${tool === undefined ? CHANGED_TEXTS[member] : `of the tool "${tool}"`}. Only descriptions and titles may be changed.`,
  remedy: 'Remove the text that the processor rejects, or move it into a description.',
});

/** Runs steps: an answer, its tool calls, their results. A step with calls is followed by another one. */
async function runSteps(run: Run): Promise<Interrupt | undefined> {
  while (!isLastStep(run)) {
    const interrupt =
      run.checkInterruption() ??
      openStep(run) ??
      (await answerStage(run)) ??
      (await run.handOverIfLeaving()) ??
      (await judgeCalls(run)) ??
      (await runCalls(run)) ??
      (await awaitCalls(run)) ??
      (await run.handOverIfLeaving()) ??
      (await closeStep(run)) ??
      (await run.handOverIfLeaving());
    if (interrupt) return interrupt;
  }
  return undefined;
}

function openStep(run: Run): undefined {
  const { open } = run.getState();
  if (!open || open.closed) run.dispatch({ action: 'step-opened', firstIndex: run.transcript.getNextPlace() });
}

/**
 * Retracts the published chunks of the rejected part and gives the model the reason. The checkpoint precedes the
 * retract: a stored rejection is final.
 */
async function rewind(
  run: Run,
  { to, feedback }: Extract<Interrupt, { form: 'rewind' }>,
): Promise<RunOutcome | undefined> {
  const from = run.transcript.locate(to === 'input' ? 'run' : 'step');
  run.transcript.discard(from);
  run.dispatch({ action: 'rewound', to, feedback });
  const stopped = await run.checkpoint(from).finally(() => run.transcript.withdraw(from, 'retry'));
  return stopped ?? run.handOverIfLeaving();
}
