// Folds the verdicts of a stage, one after the other, in the order of the entries. Pure.
import {
  findLabelRule,
  findTaint,
  labelAnswer,
  labelVerdict,
  type LabelContext,
  type VerdictTaint,
} from './label-verdict.ts';
import {
  MAX_VIOLATIONS,
  applyVerdict,
  findBlindReplacement,
  boundViolation,
  createFailure,
  hasChanges,
  mayChange,
  findReadsAt,
  getOwnMember,
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
import { sumModels, type BilledCalls } from '../state/count-calls.ts';
import { listPassedFiles } from '../settings/allowed-files.ts';
import type { Interrupt } from '../state/interrupt.ts';

/** The verdict of one entry as it counts, the resulting input, and the circumstances of the call. */
export type JudgedEntry = {
  entry: PlanEntry;
  verdict: Verdict;
  /** The stage's input with the verdict's changes; unchanged if the verdict has none or failed. */
  input: StageInput;
  ms: number;
  attempts: number;
  replica?: string | undefined;
  taint?: VerdictTaint;
  /** Hashes of the files that the entry has judged and passed. */
  passedFiles?: string[];
};

/** The folded verdicts of a stage. */
export type StageFold = {
  /** The stage's input with all changes of processors. */
  input: StageInput;
  ops: MessageOp[];
  states: Record<string, JsonObject>;
  violations: Violation[];
  data: Chunk[];
  outcomes: EntryOutcome[];
  /** Model calls that entries have made. */
  usage: BilledCalls[];
  /** Taint of entries and of the prompt that this stage adds. */
  taint: VerdictTaint[];
  /** Hashes of the files that entries have judged and passed. */
  passedFiles: string[];
  /** The first stopping verdict: a lost session fails all of its entries at once. */
  stopped?: JudgedEntry;
  /** Set by `runStage` if the run does not simply continue. */
  interrupt?: Interrupt | undefined;
};

/** Returns the entries that failed and that their policy skipped. */
export const listSkipped = ({ outcomes }: StageFold): EntryOutcome[] => outcomes.filter(({ skipped }) => skipped);

export const createFold = (input: StageInput): StageFold => ({
  input,
  ops: [],
  states: {},
  violations: [],
  data: [],
  outcomes: [],
  usage: [],
  taint: [],
  passedFiles: [],
});

/**
 * Fails a verdict that the stage does not allow, that the input has no place for, or that replaces members which the
 * processor does not read.
 * @param labels absent in stages that change no messages
 */
export function judge(
  stage: Stage,
  before: StageInput,
  called: PlanEntry,
  verdict: Verdict,
  labels?: LabelContext,
): JudgedEntry {
  const entry = applyFailurePolicy(stage, called, verdict);
  const changes = 'changes' in verdict ? verdict.changes : undefined;
  const blind = changes && findBlindReplacement(changes, findReadsAt(entry.reads, stage));
  const refused = blind
    ? `${blind.member} were returned by a processor that does not read them.`
    : findUnforeseenChange(stage, entry, verdict);
  const counted = refused === undefined ? verdict : createFailure('processor-verdict-refused', refused);
  if (!labels) return { entry, ...applyVerdict(stage, before, counted), ms: 0, attempts: 1 };
  const rule = findLabelRule(stage, before, entry, labels);
  const applied = applyVerdict(stage, before, labelVerdict(stage, before, counted, rule));
  const input = stage === 'processOutputStep' ? labelAnswer(before, applied.input, rule) : applied.input;
  return {
    entry,
    verdict: applied.verdict,
    input,
    ms: 0,
    attempts: 1,
    taint: findTaint(stage, entry, applied.verdict, rule),
    ...(stage === 'processInput' &&
      applied.verdict.type === 'continue' && { passedFiles: listPassedFiles(entry, input) }),
  };
}

/**
 * Returns the entry with the policy that counts. A run on a thread of another resource fails, although the policy of a memory skips
 * failures: without this error it would answer as if the thread were empty. So does a run that replaces messages of a thread with later ones.
 */
function applyFailurePolicy(stage: Stage, entry: PlanEntry, verdict: Verdict): PlanEntry {
  if (stage !== 'processInput' || verdict.type !== 'failure') return entry;
  const isChanged = entry.memory && verdict.code === 'state-conflict';
  return isChanged || verdict.code === 'thread-foreign' ? { ...entry, onFailure: 'fail' } : entry;
}

/** An entry that declares no changes runs concurrently with others, and must not return any. */
function findUnforeseenChange(stage: Stage, { changes, processor }: PlanEntry, verdict: Verdict): string | undefined {
  if (mayChange(changes, stage) || !hasChanges(verdict)) return undefined;
  return `${processor} declares that it changes nothing in ${stage} with these options, but returned changes.`;
}

type VerdictAnswer = { verdicts: readonly Verdict[]; ms: readonly number[]; replica?: string | undefined };

/** Judges up to the first verdict other than `continue`: later ones are based on changes that do not count. */
export function judgeAll(
  stage: Stage,
  before: StageInput,
  group: readonly PlanEntry[],
  { verdicts, ms, replica }: VerdictAnswer,
  labels?: LabelContext,
): JudgedEntry[] {
  const all: JudgedEntry[] = [];
  let input = before;
  for (const [at, entry] of group.entries()) {
    const verdict = verdicts[at];
    if (!verdict) break;
    const judged = { ...judge(stage, input, entry, verdict, labels), ms: ms[at] ?? 0, replica };
    all.push(judged);
    if (judged.verdict.type !== 'continue') break;
    input = judged.input;
  }
  return all;
}

/** Names the entry and processor in an error of the bus. */
export function createEntryFailure(
  { entry, processor }: PlanEntry,
  error: { code: ErrorCode; message: string },
): VerdictOf<'failure'> {
  const codes: Partial<Record<ErrorCode, ErrorCode>> = {
    'nobody-there': 'processor-not-there',
    timeout: 'processor-timeout',
  };
  return createFailure(getOwnMember(codes, error.code) ?? error.code, `"${entry}" (${processor}): ${error.message}`);
}

const toOutcome = ({ entry: { entry, processor }, verdict, ms, attempts, replica }: JudgedEntry): EntryOutcome => ({
  entry,
  processor,
  verdict: verdict.type,
  ms,
  attempts,
  ...(replica !== undefined && { replica }),
  ...(verdict.usage && { usage: sumModels(verdict.usage) }),
});

/** Adds the usage of a verdict, which counts in any case: it is paid for. */
function foldUsage({ usage }: StageFold, { entry: { entry }, verdict }: JudgedEntry): StageFold['usage'] {
  return verdict.usage ? [...usage, { entry, usage: verdict.usage }] : usage;
}

export function foldVerdict(before: StageFold, judged: JudgedEntry): StageFold {
  const { entry, verdict } = judged;
  const fold = { ...before, usage: foldUsage(before, judged) };
  const outcome = toOutcome(judged);
  if (verdict.type === 'failure') {
    const error = { code: verdict.code, message: verdict.message };
    const skipped = entry.onFailure === 'skip';
    const outcomes = [...fold.outcomes, { ...outcome, error, ...(skipped && { skipped }) }];
    return skipped ? { ...fold, outcomes } : { ...fold, outcomes, stopped: fold.stopped ?? judged };
  }
  const violations = attributeViolations(entry, verdict.violations);
  const ops = 'changes' in verdict ? (verdict.changes?.ops ?? []) : [];
  const reported = { ...outcome, ...pickReason(verdict), ...(violations.length > 0 && { violations }) };
  const next: StageFold = {
    ...fold,
    input: judged.input,
    ops: [...fold.ops, ...ops],
    states: verdict.state ? { ...fold.states, [entry.entry]: verdict.state } : fold.states,
    violations: [...fold.violations, ...violations],
    data: [...fold.data, ...(verdict.data ?? [])],
    outcomes: [...fold.outcomes, reported],
    taint: judged.taint ? [...fold.taint, judged.taint] : fold.taint,
    passedFiles: [...fold.passedFiles, ...(judged.passedFiles ?? [])],
  };
  return verdict.type === 'continue' ? next : { ...next, stopped: fold.stopped ?? judged };
}

/** Folds a verdict of a stage that was stopped elsewhere: its state and violations count, its verdict does not. */
export function foldReported(before: StageFold, reported: JudgedEntry): StageFold {
  const { entry, verdict } = reported;
  const fold = { ...before, usage: foldUsage(before, reported) };
  const outcome = { ...toOutcome(reported), verdict: 'cancelled' };
  if (verdict.type === 'failure') {
    const { code, message } = verdict;
    return { ...fold, outcomes: [...fold.outcomes, { ...outcome, error: { code, message } }] };
  }
  const violations = attributeViolations(entry, verdict.violations);
  return {
    ...fold,
    states: verdict.state ? { ...fold.states, [entry.entry]: verdict.state } : fold.states,
    violations: [...fold.violations, ...violations],
    outcomes: [...fold.outcomes, { ...outcome, ...(violations.length > 0 && { violations }) }],
  };
}

function pickReason(verdict: Exclude<Verdict, VerdictOf<'failure'>>): Pick<EntryOutcome, 'reason' | 'metadata'> {
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

/**
 * Attributes the violations to the entry, whatever id the processor returned; above the limit only their number is
 * kept.
 */
function attributeViolations({ entry }: PlanEntry, found: readonly Violation[] = []): Violation[] {
  const own = found.slice(0, MAX_VIOLATIONS).map((violation) => boundViolation(entry, violation));
  const rest = found.slice(MAX_VIOLATIONS);
  if (rest.length === 0) return own;
  const count = rest.reduce((sum, violation) => sum + (violation.count ?? 1), 0);
  return [...own, { processorId: entry, message: `${count} more violations were found.`, count }];
}
