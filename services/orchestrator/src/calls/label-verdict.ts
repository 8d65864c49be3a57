// Labels the changes of a verdict before they are applied: an entry's changes have at most the trust of the content
// that its call carried. Pure.
import {
  labelMessage,
  labelOps,
  findLowestTrust,
  narrowInput,
  findReadsAt,
  type Changes,
  type Conversation,
  type LabelRule,
  type Plan,
  type PlanEntry,
  type Reads,
  type RunState,
  type Stage,
  type StageInput,
  type Trust,
  type Verdict,
} from '@millrace/contracts';
import { inheritsTrust } from '../state/run-labels.ts';
import { holdsDefinitions } from '../settings/schema-texts.ts';

/** Facts of the run that decide the labels of a call. */
export type LabelContext = {
  conversation: Conversation;
  taint: RunState['taint'];
  toolRules: Plan['toolRules'];
  /** The entry that receives the answer to its question. */
  resumed?: string | undefined;
};

/** Changes to the run's taint that follow from a verdict. */
export type VerdictTaint = { entry?: string; origin?: string };

/** Reads with text of the whole conversation. */
const WHOLE_READS: readonly Reads[] = ['prompt', 'steps', 'chunks', 'request'];

/** Returns the rule for the labels of the changes that the entry makes in this call. */
export function findLabelRule(
  stage: Stage,
  input: StageInput,
  entry: PlanEntry,
  { conversation, taint, toolRules, resumed }: LabelContext,
): LabelRule {
  const isOutsideResult =
    stage === 'processToolResult' &&
    input.resultOrigin !== 'caller' &&
    !inheritsTrust({ toolRules }, input.toolCall?.toolName ?? '');
  const isTainted = isOutsideResult || taint.entries.includes(entry.entry) || resumed === entry.entry;
  return {
    cap: isTainted
      ? 'untrusted'
      : readTrust(stage, { ...input, conversation: input.conversation ?? conversation }, entry, taint),
    unlabelled: entry.memory || entry.addsText ? 'untrusted' : 'trusted',
    origin: `processor:${entry.entry}`,
    keepsOrigins: entry.memory,
    ...(entry.declassifies && { declassifies: true }),
  };
}

/** Returns the lowest trust of the content of the call. */
function readTrust(
  stage: Stage,
  input: StageInput & { conversation: Conversation },
  { reads }: PlanEntry,
  taint: RunState['taint'],
): Trust {
  const own = findReadsAt(reads, stage);
  const isWhole =
    (stage !== 'processInput' && stage !== 'processInputStep') || own.some((read) => WHOLE_READS.includes(read));
  if ((isWhole || own.includes('tools')) && holdsDefinitions(taint)) return 'untrusted';
  const read = isWhole ? undefined : narrowInput(input, own).conversation;
  return findLowestTrust(read ?? input.conversation);
}

export function labelVerdict(stage: Stage, input: StageInput, verdict: Verdict, rule: LabelRule): Verdict {
  const changes = 'changes' in verdict ? verdict.changes : undefined;
  if (!changes?.ops || !('changes' in verdict) || !input.conversation) return verdict;
  return { ...verdict, changes: { ...changes, ops: labelOps(input.conversation, changes.ops, rule) } };
}

/** Labels the answer of processOutputStep, which also changes if a verdict replaces its text or its calls. */
export function labelAnswer(before: StageInput, after: StageInput, rule: LabelRule): StageInput {
  const { messageId, conversation } = after;
  if (messageId === undefined || !conversation || conversation === before.conversation) return after;
  const was = before.conversation?.entries.find(({ message }) => message.id === messageId)?.message;
  const entries = conversation.entries.map((entry) =>
    entry.message.id === messageId && entry.message !== was
      ? { ...entry, message: labelMessage(entry.message, was, rule) }
      : entry,
  );
  return { ...after, conversation: { ...conversation, entries } };
}

/** Verdicts with a text or chunks that the run continues with, or stores. */
const TEXT_VERDICTS: readonly Verdict['type'][] = ['abort', 'halt', 'respond', 'retry'];

/**
 * Returns the taint of the entry if it may keep untrusted text in its state, and of the run if it changes more than
 * messages. A result has the label of its tool, whatever an entry makes of it.
 */
export function findTaint(stage: Stage, { entry }: PlanEntry, verdict: Verdict, rule: LabelRule): VerdictTaint {
  if (verdict.type === 'failure' || rule.declassifies) return {};
  const changes: Changes = ('changes' in verdict && verdict.changes) || {};
  const isOutside = rule.cap === 'untrusted' || rule.unlabelled === 'untrusted';
  const keeps = rule.cap === 'untrusted' && verdict.state !== undefined && Object.keys(verdict.state).length > 0;
  const { ops: _, ...others } = changes;
  const isChange = stage !== 'processToolResult' || rule.unlabelled === 'untrusted';
  const changesMore = isChange && Object.values(others).some((value) => value !== undefined);
  const reaches = isOutside && (changesMore || TEXT_VERDICTS.includes(verdict.type));
  return { ...(keeps && { entry }), ...(reaches && { origin: rule.origin }) };
}
