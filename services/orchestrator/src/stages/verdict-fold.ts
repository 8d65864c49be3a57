// What the verdicts of a stage add up to: a pure fold, one verdict after the other, in the order of the entries.
import {
  allowsRetry,
  allowsVerdict,
  applyChanges,
  refusedChange,
  type Chunk,
  type EntryOutcome,
  type JsonObject,
  type MessageOp,
  type PlanEntry,
  type Stage,
  type StageInput,
  type Verdict,
  type VerdictOf,
  type Violation,
} from '@millrace/contracts';

/** One entry's verdict, and how it came about. */
export type Judged = { entry: PlanEntry; verdict: Verdict; ms: number; attempts: number; replica?: string | undefined };

/** A verdict that stops the stage. */
export type Stopped = { entry: PlanEntry; verdict: Exclude<Verdict, VerdictOf<'continue'>> };

export type StageFold = {
  input: StageInput;
  ops: MessageOp[];
  states: Record<string, JsonObject>;
  violations: Violation[];
  data: Chunk[];
  outcomes: EntryOutcome[];
  /** The first of them: a session that is lost fails all its entries at once. */
  stopped?: Stopped;
};

export const emptyFold = (input: StageInput): StageFold => ({
  input,
  ops: [],
  states: {},
  violations: [],
  data: [],
  outcomes: [],
});

export function foldVerdict(stage: Stage, fold: StageFold, judged: Judged): StageFold {
  const { entry, ms, attempts, replica } = judged;
  const verdict = applicable(fold.input, allowed(stage, judged.verdict));
  const outcome: EntryOutcome = {
    entry: entry.entry,
    processor: entry.processor,
    verdict: verdict.type,
    ms,
    attempts,
    ...(replica !== undefined && { replica }),
  };
  if (verdict.type === 'failure') {
    const error = { code: verdict.code, message: verdict.message };
    const skipped = entry.onFailure === 'skip';
    const outcomes = [...fold.outcomes, { ...outcome, error, ...(skipped && { skipped }) }];
    return skipped ? { ...fold, outcomes } : { ...fold, outcomes, stopped: fold.stopped ?? { entry, verdict } };
  }
  const carried = carry(fold, entry, verdict);
  const said = { ...outcome, ...reasonOf(verdict), ...(verdict.violations && { violations: verdict.violations }) };
  const next = { ...carried, outcomes: [...fold.outcomes, said] };
  return verdict.type === 'continue' ? next : { ...next, stopped: fold.stopped ?? { entry, verdict } };
}

type Carrying = Exclude<Verdict, VerdictOf<'failure'>>;

function carry(fold: StageFold, entry: PlanEntry, verdict: Carrying): StageFold {
  const changes = 'changes' in verdict ? verdict.changes : undefined;
  return {
    ...fold,
    input: changes ? applyChanges(fold.input, changes) : fold.input,
    ops: changes?.ops ? [...fold.ops, ...changes.ops] : fold.ops,
    states: verdict.state ? { ...fold.states, [entry.entry]: verdict.state } : fold.states,
    violations: [...fold.violations, ...(verdict.violations ?? [])],
    data: [...fold.data, ...(verdict.data ?? [])],
  };
}

function reasonOf(verdict: Carrying): Pick<EntryOutcome, 'reason' | 'metadata'> {
  switch (verdict.type) {
    case 'abort':
      return { reason: verdict.reason, ...(verdict.metadata !== undefined && { metadata: verdict.metadata }) };
    case 'deny':
      return { reason: verdict.reason };
    case 'halt':
      return verdict.reason === undefined ? {} : { reason: verdict.reason };
    default:
      return {};
  }
}

/** Processors in other languages have no runtime of ours in front of them: what their stage does not allow is a failure. */
function allowed(stage: Stage, verdict: Verdict): Verdict {
  if (verdict.type === 'suspend') return refused('not-built-yet', 'The verdict "suspend" is not built yet.');
  if (!allowsVerdict(stage, verdict.type)) {
    return refused('processor-verdict-refused', `${stage} does not allow the verdict "${verdict.type}".`);
  }
  if (verdict.type === 'abort' && verdict.retry && !allowsRetry(stage)) {
    return refused('processor-verdict-refused', `${stage} does not allow abort with retry.`);
  }
  const changes = 'changes' in verdict && verdict.changes ? refusedChange(stage, verdict.changes) : undefined;
  if (changes !== undefined) return refused('processor-verdict-refused', `${stage} cannot change "${changes}".`);
  return verdict;
}

function refused(code: 'not-built-yet' | 'processor-verdict-refused', message: string): VerdictOf<'failure'> {
  return { type: 'failure', code, message, retryable: false };
}

/** Operations on messages that are not there are the processor's failure, not the run's end. */
function applicable(input: StageInput, verdict: Verdict): Verdict {
  const changes = 'changes' in verdict ? verdict.changes : undefined;
  if (!changes) return verdict;
  try {
    applyChanges(input, changes);
    return verdict;
  } catch (error) {
    return refused('processor-verdict-refused', error instanceof Error ? error.message : String(error));
  }
}
