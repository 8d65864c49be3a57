// Adds a thread's last messages to the conversation before the run and stores the run's own messages after it. The
// processor does not judge: it stores the message list at its position in the output list, so guards belong before it.
// A failing store throws its coded error; the policy, not this code, lets the run continue.
import {
  MEMORY_POSITION,
  buildEntryTag,
  readMessageText,
  type Message,
  type RunJudges,
  type RunRef,
} from '@millrace/contracts';
import {
  defineProcessor,
  type ProcessInputArgs,
  type ProcessorDefinition,
  type ProcessOutputResultArgs,
} from '@millrace/processor';
import { chooseMemoryOwner, retryShortOutage } from '@millrace/stores';
import { z } from 'zod';
import { generateTitleSchema, type ThreadTitles } from './thread-titles.ts';
import type { HistoryStore } from '../store/history-store.ts';
import type { Forget } from '../store/forget-messages.ts';
import { forgetReplaced, refuseOtherEnd } from './replaced-messages.ts';
import { deriveId, haveSameWords } from '../store/rename-taken.ts';
import { recordJudges, takeJudges } from '../store/stored-message.ts';

/**
 * Builds the messages of a run's block, in order: the input that the guards passed, then the response, without system messages. Keeps ids; a
 * message without one gets `<run>.<position>`, so that a repeated save gives it the same id. Thread and resource are always the run's.
 */
function selectMessagesToStore(
  run: Pick<RunRef, 'runId' | 'threadId' | 'resourceId'>,
  input: readonly Message[],
  response: readonly Message[],
  judges: RunJudges = NO_JUDGES,
): Message[] {
  const own = [
    ...input.map((message) => recordJudges(message, judges.input)),
    ...response.map((message) => recordJudges(message, judges.output)),
  ].filter((message) => message.role !== 'system');
  const { threadId, resourceId } = run;
  const named = own.map(({ resourceId: _, ...message }, position) => ({
    ...message,
    id: message.id === '' ? `${run.runId}.${position}` : message.id,
    threadId,
    ...(resourceId !== undefined && { resourceId }),
  }));
  // The response replaces an input of the same id: the input may be the caller's copy of the answer.
  return [...new Map(named.map((message) => [message.id, message])).values()];
}

/** `forget`: deletes the data that other services have derived from messages. */
export type HistoryDependencies = { store: HistoryStore; forget: Forget; titles: Pick<ThreadTitles, 'request'> };

const NO_JUDGES: RunJudges = { input: [], output: [] };

/** Guards do not judge remembered messages again. */
function describeUnjudged(unjudged: readonly { missing: string[] }[]) {
  const judges = [...new Set(unjudged.flatMap(({ missing }) => missing))];
  return {
    message: `${unjudged.length} recalled messages were stored by runs without ${judges.join(', ')}.`,
    rule: 'recalled-unjudged',
    strategy: 'warn',
    count: unjudged.length,
    detail: { judges },
  };
}

/** Tag of recalled system messages. The prompt places them apart from the recalled conversation. */
const SYSTEM_TAG = 'message-history';

const optionsSchema = z.strictObject({
  lastMessages: z
    .number()
    .int()
    .min(0)
    .max(1_000)
    .default(10)
    .describe('Maximum number of messages to recall from the thread. 0 recalls none.'),
  includeSystemMessages: z
    .boolean()
    .default(false)
    .describe('Whether to recall system messages too. This processor stores none.'),
  keepPartial: z
    .boolean()
    .default(false)
    .describe(
      'Whether to store the part of an answer that a stopped or failed run has shown, with `interrupted` in its metadata. A part that an entry would judge only at its end is not stored.',
    ),
  generateTitle: generateTitleSchema
    .default(false)
    .describe(
      'Whether to ask a model for a title after a save, if the thread has none: of its first message of a user, as it is stored. `{model, instructions}` replace MODEL of the service and the shipped instructions.',
    ),
});
type HistoryOptions = z.output<typeof optionsSchema>;

/**
 * Usually configured by `memory` in the agent instead of a list entry. It stores the conversation as it is at its position in the
 * output list, so guards belong before it. Without a thread it does nothing. Of a
 * run that was stopped or has failed it stores the messages of the caller, if all guards of the input have passed them.
 *
 * @verdict continue: adds the thread's last messages before those of the caller
 * @verdict failure: the store cannot be reached; by default the run continues without it
 * @cannot Judge or redact: it stores its input unchanged.
 * @cannot Store system messages.
 * @cannot Recall more than fits into one bus message: a violation counts the omitted messages.
 * @example
 * memory:
 *   lastMessages: 20
 * input:
 *   - memory
 *   - use: message-history
 *     as: older
 *     options: { lastMessages: 5 }
 */
export const defineMessageHistory = ({ store, forget, titles }: HistoryDependencies): ProcessorDefinition =>
  defineProcessor({
    id: 'message-history',
    description: "Recalls a thread's last messages and stores the run's own.",
    aliases: ['MessageHistoryProcessor', 'MessagePersistenceProcessor'],
    stages: ['processInput', 'processOutputResult'],
    memoryKey: 'lastMessages',
    positions: { input: MEMORY_POSITION, output: MEMORY_POSITION },
    // Excludes remembered messages: a save would carry them too, and those of a long thread would exceed one bus
    // message.
    reads: ['input', 'response'],
    policy: { onFailure: 'skip' },
    options: optionsSchema,
    create: (options) => ({
      id: 'message-history',
      processInput: (args) => recall(store, options, args),
      processOutputResult: (args) => save({ store, forget, titles }, options, args),
    }),
  });

async function recall(store: HistoryStore, options: HistoryOptions, args: ProcessInputArgs): Promise<void> {
  const { messageList, run, abortSignal, replaces = [] } = args;
  const { tenant, threadId, resourceId } = run;
  if (threadId === undefined || (options.lastMessages === 0 && replaces.length === 0)) return;
  const thread = { tenant, threadId, owner: chooseMemoryOwner({ threadId, resourceId }) };

  const count = options.lastMessages + replaces.length;
  const { messages, leftOut } = await store.recallLast(thread, count, abortSignal);
  if (replaces.length > 0) await refuseOtherEnd(store, thread, replaces, abortSignal);
  if (options.lastMessages === 0) return;
  const replaced = new Set(replaces);
  const recalled = messages.filter(({ id }) => !replaced.has(id)).slice(-options.lastMessages);
  if (leftOut > 0) {
    const message = `${leftOut} of the last ${options.lastMessages} messages were not recalled, because together they exceed the size limit.`;
    args.onViolation({ message, rule: 'recall-max-bytes', strategy: 'warn', count: leftOut });
  }
  const fresh = omitKnown(
    recalled.filter((message) => message.role !== 'system'),
    messageList.get.all.db(),
  ).map((message) => takeJudges(message, args.judges ?? NO_JUDGES));
  messageList.add(
    fresh.map(({ message }) => message),
    'remembered',
  );
  const unjudged = fresh.filter(({ missing }) => missing.length > 0);
  if (unjudged.length > 0) args.onViolation(describeUnjudged(unjudged));

  const system = recalled.filter((message) => message.role === 'system');
  if (options.includeSystemMessages && system.length > 0) {
    const tag = buildEntryTag(SYSTEM_TAG, 'message-history', args.entry);
    messageList.setSystem(tag, system.map(readMessageText));
  }
}

/**
 * Omits the messages that the conversation has. A stored message with the id of a different one in the conversation
 * gets its derived id, because a message of the same id would replace that one.
 */
function omitKnown(recalled: readonly Message[], conversation: readonly Message[]): Message[] {
  const byId = new Map(conversation.map((message) => [message.id, message]));
  // Only a message that was renamed can be another one's copy under a derived id.
  const isRenamed = recalled.some(({ id }) => id.includes('~'));
  const derived = new Set(isRenamed ? conversation.map(deriveId) : []);
  return recalled.flatMap((message) => {
    if (derived.has(message.id)) return [];
    const known = byId.get(message.id);
    if (known && haveSameWords(known, message)) return [];
    return [known ? { ...message, id: deriveId(message) } : message];
  });
}

async function save(
  { store, forget, titles }: HistoryDependencies,
  options: HistoryOptions,
  args: ProcessOutputResultArgs,
): Promise<void> {
  const { messageList, result, run, abortSignal, replaces = [] } = args;
  const { tenant, threadId, resourceId, runId, epoch } = run;
  if (threadId === undefined || !result.answered) return;
  const owner = chooseMemoryOwner({ threadId, resourceId });

  // Here `input` holds only the caller's messages: `context` is not in `reads`, so the orchestrator does not send it.
  const messages = selectMessagesToStore(run, messageList.get.input.db(), messageList.get.response.db(), args.judges);
  const place = { tenant, threadId, ...(resourceId !== undefined && { resourceId }) };
  const dropped = await forgetReplaced({ store, forget, place, signal: abortSignal }, replaces, messages);
  const block = { tenant, threadId, owner, runId, agent: run.agent, epoch, messages, replaces: dropped };
  await retryShortOutage(() => store.saveBlock(block, abortSignal), abortSignal);
  titles.request({ tenant, threadId, owner }, options.generateTitle);
}
