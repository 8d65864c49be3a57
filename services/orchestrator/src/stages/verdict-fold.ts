// What the verdicts of a stage add up to: a pure fold, one verdict after the other, in the order of the entries.
import {
  MAX_VIOLATIONS,
  applyVerdict,
  blindReplacement,
  boundedViolation,
  failureOf,
  hasChanges,
  mayChange,
  readsAt,
  ownMember,
  type Chunk,
  type EntryOutcome,
  type ErrorCode,
  type JsonObject,
  type MessageOp,
  type PlanEntry,
  type Stage,
  type StageInput,
  type Verdict,
  type VerdictOf,
  type Violation,
} from '@millrace/contracts';

/** One entry's verdict as it counts, what it made of the input, and how it came about. */
export type Judged = {
  entry: PlanEntry;
  verdict: Verdict;
  /** The stage's input with the verdict's changes; as it was where it has none or failed. */
  input: StageInput;
  ms: number;
  attempts: number;
  replica?: string | undefined;
};

/** A verdict that stops the stage. */
export type StopVerdict = { entry: PlanEntry; verdict: Exclude<Verdict, VerdictOf<'continue'>> };

export type StageFold = {
  input: StageInput;
  ops: MessageOp[];
  states: Record<string, JsonObject>;
  violations: Violation[];
  data: Chunk[];
  outcomes: EntryOutcome[];
  /** The first of them: a session that is lost fails all its entries at once. */
  stopped?: StopVerdict;
};

export const emptyFold = (input: StageInput): StageFold => ({
  input,
  ops: [],
  states: {},
  violations: [],
  data: [],
  outcomes: [],
});

/** What the stage does not allow, the input has no place for, or replaces what the processor never saw is its failure. */
export function judge(stage: Stage, before: StageInput, entry: PlanEntry, verdict: Verdict): Judged {
  const changes = 'changes' in verdict ? verdict.changes : undefined;
  const blind = changes && blindReplacement(changes, readsAt(entry.reads, stage));
  const refused = blind
    ? `${blind.member} were returned by a processor that does not read them.`
    : unforeseen(stage, entry, verdict);
  const counted = refused === undefined ? verdict : failureOf('processor-verdict-refused', refused);
  return { entry, ...applyVerdict(stage, before, counted), ms: 0, attempts: 1 };
}

/** Who has said that it changes nothing there is called beside others, and must not. */
function unforeseen(stage: Stage, { changes, processor }: PlanEntry, verdict: Verdict): string | undefined {
  if (mayChange(changes, stage) || !hasChanges(verdict)) return undefined;
  return `${processor} says that it changes nothing in ${stage} with these options, and did.`;
}

type Answer = { verdicts: readonly Verdict[]; ms: readonly number[]; replica?: string | undefined };

/** Up to the first that does not simply go on: what came after it was judged on changes that do not count. */
export function judgeAll(
  stage: Stage,
  before: StageInput,
  group: readonly PlanEntry[],
  { verdicts, ms, replica }: Answer,
): Judged[] {
  const all: Judged[] = [];
  let input = before;
  for (const [at, entry] of group.entries()) {
    const verdict = verdicts[at];
    if (!verdict) break;
    const judged = { ...judge(stage, input, entry, verdict), ms: ms[at] ?? 0, replica };
    all.push(judged);
    if (judged.verdict.type !== 'continue') break;
    input = judged.input;
  }
  return all;
}

/** The bus's words in the run's: who did not answer, at what. */
export function entryFailure(
  { entry, processor }: PlanEntry,
  error: { code: ErrorCode; message: string },
): VerdictOf<'failure'> {
  const codes: Partial<Record<ErrorCode, ErrorCode>> = {
    'nobody-there': 'processor-not-there',
    timeout: 'processor-timeout',
  };
  return failureOf(ownMember(codes, error.code) ?? error.code, `"${entry}" (${processor}): ${error.message}`);
}

const outcomeOf = ({ entry: { entry, processor }, verdict, ms, attempts, replica }: Judged): EntryOutcome => ({
  entry,
  processor,
  verdict: verdict.type,
  ms,
  attempts,
  ...(replica !== undefined && { replica }),
});

export function foldVerdict(fold: StageFold, judged: Judged): StageFold {
  const { entry, verdict } = judged;
  const outcome = outcomeOf(judged);
  if (verdict.type === 'failure') {
    const error = { code: verdict.code, message: verdict.message };
    const skipped = entry.onFailure === 'skip';
    const outcomes = [...fold.outcomes, { ...outcome, error, ...(skipped && { skipped }) }];
    return skipped ? { ...fold, outcomes } : { ...fold, outcomes, stopped: fold.stopped ?? { entry, verdict } };
  }
  const violations = violationsOf(entry, verdict.violations);
  const ops = 'changes' in verdict ? (verdict.changes?.ops ?? []) : [];
  const said = { ...outcome, ...reasonOf(verdict), ...(violations.length > 0 && { violations }) };
  const next: StageFold = {
    ...fold,
    input: judged.input,
    ops: [...fold.ops, ...ops],
    states: verdict.state ? { ...fold.states, [entry.entry]: verdict.state } : fold.states,
    violations: [...fold.violations, ...violations],
    data: [...fold.data, ...(verdict.data ?? [])],
    outcomes: [...fold.outcomes, said],
  };
  return verdict.type === 'continue' ? next : { ...next, stopped: fold.stopped ?? { entry, verdict } };
}

/** The stage was stopped elsewhere: what it keeps and has found counts, its verdict does not. */
export function foldTold(fold: StageFold, told: Judged): StageFold {
  const { entry, verdict } = told;
  const outcome = { ...outcomeOf(told), verdict: 'cancelled' };
  if (verdict.type === 'failure') {
    const { code, message } = verdict;
    return { ...fold, outcomes: [...fold.outcomes, { ...outcome, error: { code, message } }] };
  }
  const violations = violationsOf(entry, verdict.violations);
  return {
    ...fold,
    states: verdict.state ? { ...fold.states, [entry.entry]: verdict.state } : fold.states,
    violations: [...fold.violations, ...violations],
    outcomes: [...fold.outcomes, { ...outcome, ...(violations.length > 0 && { violations }) }],
  };
}

function reasonOf(verdict: Exclude<Verdict, VerdictOf<'failure'>>): Pick<EntryOutcome, 'reason' | 'metadata'> {
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

/** Whatever a processor calls itself, its findings are the entry's; so many of them and no more, then their number. */
function violationsOf({ entry }: PlanEntry, found: readonly Violation[] = []): Violation[] {
  const own = found.slice(0, MAX_VIOLATIONS).map((violation) => boundedViolation(entry, violation));
  const rest = found.slice(MAX_VIOLATIONS);
  if (rest.length === 0) return own;
  const count = rest.reduce((sum, violation) => sum + (violation.count ?? 1), 0);
  return [...own, { processorId: entry, message: `${count} more were found.`, count }];
}
