// The texts of answers at memory's position in the output list: memory stores them instead of the texts that entries
// behind it have changed. Pure.
import {
  findReadsAt,
  LIST_OF_STAGE,
  listAfterMemory,
  readMessageText,
  withText,
  type Conversation,
  type Message,
  type Plan,
  type PlanEntry,
  type RunState,
  type Stage,
} from '@millrace/contracts';

/**
 * Returns the member of `messages-changed` that keeps the text.
 * @param text at memory's position; undefined if no entry of the stream follows memory
 */
export function keepStored(message: Message, text: string | undefined): { stored?: Record<string, string> } {
  return text === undefined ? {} : { stored: { [message.id]: text } };
}

/** Returns the conversation that memory stores. An entry that judges whole answers alone has judged the readers' texts only. */
export function withStoredTexts(plan: Plan, conversation: Conversation, stored: RunState['stored']): Conversation {
  if (Object.keys(stored).length === 0) return conversation;
  const after = listAfterMemory(plan);
  if (LATE_STAGES.some((stage) => listLateJudges(plan, stage).some(({ entry }) => !after.has(entry))))
    return conversation;
  const entries = conversation.entries.map((entry) => {
    const text = Object.hasOwn(stored, entry.message.id) ? stored[entry.message.id] : undefined;
    if (text === undefined || text === readMessageText(entry.message)) return entry;
    return { ...entry, message: withText(entry.message, text) };
  });
  return { ...conversation, entries };
}

/** The stages that judge whole answers. */
const LATE_STAGES = ['processLLMResponse', 'processOutputStep', 'processOutputResult'] as const;

/** Returns the entries that judge an answer in this stage, and not in the stream. */
export function listLateJudges(plan: Plan, stage: Stage): PlanEntry[] {
  // Not by the order of the stage: a part of a run calls some of its entries.
  const isCalled = ({ lists, stages }: PlanEntry, at: Stage) =>
    lists.includes(LIST_OF_STAGE[at]) && stages.includes(at);
  return Object.values(plan.entries).filter(
    (one) =>
      isCalled(one, stage) &&
      !isCalled(one, 'processOutputStream') &&
      !one.memory &&
      !one.observe &&
      judgesText(one, stage),
  );
}

/** Entries of processLLMResponse count costs and fill caches too: these read no answer, or may be skipped. */
const judgesText = ({ reads, onFailure }: PlanEntry, stage: Stage): boolean =>
  stage !== 'processLLMResponse' || (onFailure === 'fail' && findReadsAt(reads, stage).length > 0);
