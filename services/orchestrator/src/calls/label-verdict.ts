// Labels the changes of a verdict before they are applied: an entry's changes have at most the trust of the content
// that its call carried. Pure.
import {
  labelMessage,
  labelOps,
  lowestTrust,
  narrowInput,
  readsAt,
  type Changes,
  type Conversation,
  type LabelRule,
  type PlanEntry,
  type Reads,
  type RunState,
  type Stage,
  type StageInput,
  type Trust,
  type Verdict,
} from '@millrace/contracts';

/** Facts of the run that decide the labels of a call. */
export type LabelContext = {
  conversation: Conversation;
  taint: RunState['taint'];
  /** The entry that receives the answer to its question. */
  resumed?: string | undefined;
};

/** Changes to the run's taint that follow from a verdict. */
export type VerdictTaint = { entry?: string; origin?: string };

/** Reads with text of the whole conversation. */
const WHOLE_READS: readonly Reads[] = ['prompt', 'steps', 'chunks', 'request'];
/** Changes, other than of messages, that reach the prompt. */
const PROMPT_CHANGES: readonly (keyof Changes)[] = ['prompt', 'tools', 'structuredOutput', 'providerOptions'];

/** Returns the rule for the labels of the changes that the entry makes in this call. */
export function findLabelRule(
  stage: Stage,
  input: StageInput,
  entry: PlanEntry,
  { conversation, taint, resumed }: LabelContext,
): LabelRule {
  const isTainted = taint.entries.includes(entry.entry) || resumed === entry.entry;
  return {
    cap: isTainted
      ? 'untrusted'
      : readTrust(stage, { ...input, conversation: input.conversation ?? conversation }, entry),
    unlabelled: entry.memory || entry.addsText ? 'untrusted' : 'trusted',
    origin: `processor:${entry.entry}`,
    keepsOrigins: entry.memory,
    ...(entry.declassifies && { declassifies: true }),
  };
}

/** Returns the lowest trust of the content of the call. */
function readTrust(stage: Stage, input: StageInput & { conversation: Conversation }, { reads }: PlanEntry): Trust {
  if (stage === 'processToolResult') return 'untrusted';
  const own = readsAt(reads, stage);
  const isWhole =
    (stage !== 'processInput' && stage !== 'processInputStep') || own.some((read) => WHOLE_READS.includes(read));
  const read = isWhole ? undefined : narrowInput(input, own).conversation;
  return lowestTrust(read ?? input.conversation);
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

/**
 * Returns the taint of the entry if it may keep untrusted text in its state, and of the prompt if it changes more of it
 * than messages.
 */
export function findTaint({ entry }: PlanEntry, verdict: Verdict, rule: LabelRule): VerdictTaint {
  if (verdict.type === 'failure' || rule.declassifies) return {};
  const changes: Changes = ('changes' in verdict && verdict.changes) || {};
  const isOutside = rule.cap === 'untrusted' || rule.unlabelled === 'untrusted';
  const keeps = rule.cap === 'untrusted' && verdict.state !== undefined && Object.keys(verdict.state).length > 0;
  const reaches = isOutside && PROMPT_CHANGES.some((name) => changes[name] !== undefined);
  return { ...(keeps && { entry }), ...(reaches && { origin: rule.origin }) };
}
