// The runs that this orchestrator drives, and the report of each that the verb `inspect` shows.
import type { OwnerReport, RunRef, RunState } from '@millrace/contracts';
import type { RunActivity } from './run-activity.ts';

/** The part of a run that a report reads. */
type ReportedRun = {
  ref: Pick<RunRef, 'tenant' | 'runId' | 'epoch'>;
  /** By the monotonic clock of this process. */
  deadlineAt: number;
  getState(): RunState;
  activity: Pick<RunActivity, 'list'>;
  transcript: { listBuffered(from: number): readonly unknown[] };
};

/** A run in the epoch of its owner. */
type RunOwnership = Pick<RunRef, 'tenant' | 'runId' | 'epoch'>;

export type DrivenRuns = {
  /** Keeps the epoch of a run from its claim on, until the returned function is called or the signal fires: a fenced run that hangs is not driven. */
  own(run: RunOwnership, fenced: AbortSignal): () => void;
  /** Returns the epoch in which this orchestrator drives the run. */
  findEpoch(tenant: string, runId: string): number | undefined;
  /** Returns the function that removes the run. */
  add(run: ReportedRun): () => void;
  /** Undefined if this orchestrator does not drive the run. */
  report(tenant: string, runId: string): OwnerReport | undefined;
};

/** A report is one message; calls are listed up to this number, the oldest first. */
const MAX_CALLS_SHOWN = 100;

export function createDrivenRuns(): DrivenRuns {
  const runs = new Map<string, ReportedRun>();
  const owned = new Map<string, RunOwnership>();
  return {
    own(run, fenced) {
      const key = `${run.tenant}.${run.runId}`;
      const disown = () => {
        if (owned.get(key) === run) owned.delete(key);
      };
      if (fenced.aborted) return disown;
      owned.set(key, run);
      fenced.addEventListener('abort', disown, { once: true });
      return disown;
    },
    findEpoch: (tenant, runId) => owned.get(`${tenant}.${runId}`)?.epoch,
    add(run) {
      const { tenant, runId } = run.ref;
      const key = `${tenant}.${runId}`;
      runs.set(key, run);
      return () => {
        if (runs.get(key) === run) runs.delete(key);
      };
    },
    report(tenant, runId) {
      const run = runs.get(`${tenant}.${runId}`);
      return run && reportOn(run);
    },
  };
}

function reportOn(run: ReportedRun): OwnerReport {
  const state = run.getState();
  return {
    epoch: run.ref.epoch,
    step: state.steps.length,
    doing: describeStatement(state),
    remainingMs: Math.round(run.deadlineAt - performance.now()),
    calls: run.activity.list().slice(0, MAX_CALLS_SHOWN),
    buffered: { chunks: run.transcript.listBuffered(0).length },
  };
}

/** Names the statement of the run loop that the state leads to. */
export function describeStatement({ inputPassed, open, finish, passed }: RunState): OwnerReport['doing'] {
  if (!inputPassed) return 'input';
  if (finish || passed) return 'finish';
  if (!open || open.closed) return 'answer';
  if (!open.answer) return 'answer';
  const calls = open.answer.toolCalls.length;
  if (calls === 0) return 'finish';
  return open.results.length < calls ? 'tool-calls' : 'step-end';
}
