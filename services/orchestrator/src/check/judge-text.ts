// Judges one run of a check and reduces its end to a verdict: the passed texts, or the reason of the block.
import {
  STAGES,
  fromWireError,
  readMessageText,
  selectMessages,
  type CheckAnswer,
  type EntryUsage,
  type PublicViolation,
  type RunResult,
} from '@millrace/contracts';
import { endRun } from '../run/end-run.ts';
import { runLoop } from '../run/run-loop.ts';
import { isEnding, type Ending, type RunOutcome } from '../state/interrupt.ts';
import type { Deps, Run } from '../state/run-context.ts';
import { createCheckRun, withReasonJudges, type CheckedRun } from './check-run.ts';

type CheckBlock = Pick<CheckAnswer, 'reason' | 'code' | 'processor'>;
/** The verdict on one run of a check. */
export type CheckJudgement = {
  texts: string[];
  block?: CheckBlock;
  violations: PublicViolation[];
  usage: EntryUsage[];
  /** Hashes of the files that processors have judged and passed. */
  passedFiles: string[];
};

/** @throws the error of a check that no processor has decided: run-deadline-exceeded, bus-unreachable */
export async function judgeText(deps: Deps, checked: CheckedRun): Promise<CheckJudgement> {
  const run = createCheckRun(deps, checked);
  const ending = chooseEnding(run, await runLoop(run));
  const { result } = await endRun(ending.form === 'finish' ? run : withReasonJudges(run, checked.applied), ending);
  const { processors: usage = [] } = run.getState().usage;
  const findings = { violations: result.violations, usage, passedFiles: run.getState().passedFiles };
  const block = findBlock(result);
  if (block) return { texts: [], block, ...findings };
  return { texts: checked.direction === 'input' ? readInput(run, checked) : [result.text], ...findings };
}

/** A question and an answer of a processor block: a check has no later answer, and no model answers in between. */
function chooseEnding(run: Run, outcome: RunOutcome): Ending {
  if (outcome.form === 'suspend') {
    const processorId = run.getState().pending[0]?.by;
    const reason = 'The processor suspends the run for an answer.';
    return { form: 'tripwire', tripwire: { reason, ...(processorId !== undefined && { processorId }) } };
  }
  if (!isEnding(outcome)) return { form: 'cancel' };
  if (outcome.form !== 'halt') return outcome;
  const { reason = 'The processor ends the run.', processorId } = outcome;
  return { form: 'tripwire', tripwire: { reason, processorId } };
}

function findBlock({ status, tripwire, error }: RunResult): CheckBlock | undefined {
  if (status === 'finished') return undefined;
  if (tripwire) {
    const { reason, processorId } = tripwire;
    return { reason, ...(processorId !== undefined && { processor: processorId }) };
  }
  const {
    code,
    message,
    path = '',
    remedy,
  } = error ?? { code: 'internal' as const, message: `The check was ${status}.` };
  const [stage, processor] = path.split('/');
  if (!STAGES.some((known) => known === stage))
    throw fromWireError({ code, message, ...(code === 'run-refused' && { path, remedy }) });
  return { reason: message, code, ...(processor !== undefined && { processor }) };
}

/** A message that a processor removed has no text. */
function readInput(run: Run, { request }: CheckedRun): string[] {
  const left = new Map(selectMessages(run.getState().conversation, 'input').map((message) => [message.id, message]));
  return request.messages.map(({ id }) => {
    const message = left.get(id);
    return message ? readMessageText(message) : '';
  });
}
