// Converts a verdict that stops into the run's interrupt: the run ends or is rewound. Used by stage calls and by the
// output stream.
import type { ErrorCode, PlanEntry, Stage, VerdictOf } from '@millrace/contracts';
import { SUSPEND, fail, rejectWholeRun, type Interrupt, type RejectedChunks } from '../state/interrupt.ts';
import { resolveMaxRetries } from '../settings/run-agent.ts';
import type { Run } from '../state/run-context.ts';
import type { JudgedEntry } from './verdict-fold.ts';

export function stopOutcome(
  run: Run,
  stage: Stage,
  { entry, verdict }: Pick<JudgedEntry, 'entry' | 'verdict'>,
): Interrupt {
  const rejecting = { rejected: findRejected(run, stage) };
  switch (verdict.type) {
    case 'abort':
      return resolveAbort(run, stage, entry, verdict);
    case 'halt':
      return {
        form: 'halt',
        response: verdict.response,
        reason: verdict.reason,
        processorId: entry.entry,
        answered: hasAnswered(run, stage),
        ...rejecting,
      };
    case 'failure': {
      const message = `${verdict.message} (${stage})`;
      const error = {
        code: verdict.code,
        message,
        path: `${stage}/${entry.entry}`,
        remedy: chooseRemedy(run, entry, verdict.code),
      };
      return fail(error, { chainBroken: stage === 'processOutputStream', ...rejecting });
    }
    case 'suspend':
      return SUSPEND;
    default:
      return fail({ code: 'internal', message: `${stage} cannot act on the verdict "${verdict.type}".` });
  }
}

/**
 * Published chunks that a stage rejects when it stops the run. The output stream rejects before publication; later
 * stages reject their step, the last one everything after `start`. Rejected text is in no result.
 */
const REJECTS: Partial<Record<Stage, 'step' | 'run'>> = {
  processLLMResponse: 'step',
  processOutputStep: 'step',
  processToolCall: 'step',
  processToolResult: 'step',
  processOutputResult: 'run',
};

function findRejected(run: Run, stage: Stage): RejectedChunks | undefined {
  const what = REJECTS[stage];
  if (what === undefined) return undefined;
  if (what === 'run') return rejectWholeRun(run.getState());
  return { what, from: run.transcript.locate('step') };
}

function resolveAbort(run: Run, stage: Stage, entry: PlanEntry, verdict: VerdictOf<'abort'>): Interrupt {
  const { retryCount, inputPassed } = run.getState();
  if (verdict.retry && retryCount < readMaxRetries(run)) {
    return { form: 'rewind', to: inputPassed ? 'step' : 'input', feedback: verdict.reason };
  }
  const { reason, retry, metadata } = verdict;
  const tripwire = {
    reason,
    ...(retry && { retry }),
    ...(metadata !== undefined && { metadata }),
    processorId: entry.entry,
  };
  return { form: 'tripwire', tripwire, rejected: findRejected(run, stage) };
}

/**
 * Returns whether a model has answered when a stage halts: an answer that is being judged counts, although it is not
 * accepted yet.
 */
function hasAnswered(run: Run, stage: Stage): boolean {
  const { answered, modelCalls } = run.getState();
  return answered || REJECTS[stage] !== undefined || (stage === 'processOutputStream' && modelCalls > 0);
}

export const readMaxRetries = ({ agent, plan }: Run): number => resolveMaxRetries(agent, plan);

/** Returns the remedy for the failure. Skipping the entry is an option only if the guarded text may pass unjudged. */
function chooseRemedy({ ref }: Run, { entry, processor, service }: PlanEntry, code: ErrorCode): string {
  const details = `millrace runs events ${ref.runId} --detail`;
  const skip = `set onFailure: skip on "${entry}" if the run may continue without it`;
  switch (code) {
    case 'processor-not-there':
      return `Start a replica of ${service} that serves ${processor}, or ${skip}.`;
    case 'processor-timeout':
      return `Raise timeoutMs of "${entry}", start more replicas of ${service}, or ${skip}.`;
    case 'options-invalid':
      return `Correct the options of "${entry}", in the agent or in the overrides of the request.`;
    case 'processor-verdict-refused':
    case 'not-built-yet':
    case 'state-not-serializable':
    case 'state-too-large':
    case 'message-list-foreign':
    case 'message-list-and-messages':
      return `Correct ${processor}: "${details}" names the part of its answer that is not allowed.`;
    case 'message-too-large':
      return `Let "${entry}" read and return less, or raise max_payload on the server.`;
    case 'thread-foreign':
      return 'Use a thread of the same resource, or another thread id.';
    case 'state-conflict':
      return 'Read the messages of the thread again, and submit the run with those that it replaces.';
    case 'session-lost':
      return `Submit the request again. If it fails again, read the reason with "${details}" and in the log of ${service}.`;
    default:
      return `Read the reason with "${details}" and in the log of ${service}, correct ${processor}, or ${skip}.`;
  }
}
