// message-history: a thread's last messages into the conversation before the run, the run's own messages into the thread after
// it. It judges nothing: what it stores is what stands in the message list at its place in the output list, so guards belong
// before it. A store that fails is thrown as its coded error; that the run then goes on is its policy, not its code.
import { entryTag, messageText } from '@millrace/contracts';
import {
  defineProcessor,
  type ProcessInputArgs,
  type ProcessorDefinition,
  type ProcessOutputResultArgs,
} from '@millrace/processor';
import { memoryOwner, throughShortOutage } from '@millrace/stores';
import { z } from 'zod';
import type { HistoryStore } from '../store/history-store.ts';
import { messagesToStore } from './messages-to-store.ts';

/** Tag of recalled system messages; their place in the prompt is apart from the history's. */
const SYSTEM_TAG = 'message-history';

const optionsSchema = z.strictObject({
  lastMessages: z
    .number()
    .int()
    .min(0)
    .max(1_000)
    .default(10)
    .describe('how many messages of the thread are recalled; 0: none'),
  includeSystemMessages: z
    .boolean()
    .default(false)
    .describe('whether system messages among them are recalled too; none are stored by this processor'),
});
type Options = z.output<typeof optionsSchema>;

/**
 * Usually not listed but meant by `memory` in the agent. What it stores is what stands in the conversation at its place in the output
 * list, so guards belong before it. Without a thread it does nothing, and where no model has answered it stores nothing.
 *
 * @verdict continue: with the thread's last messages before those of the caller
 * @verdict failure: the store cannot be reached; by default the run goes on without it
 * @cannot Judge or redact: it stores what it is given.
 * @cannot Store system messages.
 * @cannot Recall more than fits into one message of the bus: what is left out is told as a violation.
 * @example
 * memory:
 *   lastMessages: 20
 * input:
 *   - memory
 *   - use: message-history
 *     as: older
 *     options: { lastMessages: 5 }
 */
export const messageHistory = (store: HistoryStore): ProcessorDefinition =>
  defineProcessor({
    id: 'message-history',
    description: "Recalls a thread's last messages and stores the run's own.",
    aliases: ['MessageHistoryProcessor', 'MessagePersistenceProcessor'],
    stages: ['processInput', 'processOutputResult'],
    // Not what was remembered: a save would carry it too, and a long thread's would not fit into one message.
    reads: ['input', 'response'],
    policy: { onFailure: 'skip' },
    options: optionsSchema,
    create: (options) => ({
      id: 'message-history',
      processInput: (args) => recall(store, options, args),
      processOutputResult: (args) => save(store, args),
    }),
  });

async function recall(store: HistoryStore, options: Options, args: ProcessInputArgs): Promise<void> {
  const { messageList, run, abortSignal } = args;
  const { tenant, threadId, resourceId } = run;
  if (threadId === undefined || options.lastMessages === 0) return;
  const owner = memoryOwner({ threadId, resourceId });

  const { messages: recalled, leftOut } = await store.recallLast(
    { tenant, threadId, owner },
    options.lastMessages,
    abortSignal,
  );
  if (leftOut > 0) {
    const message = `${leftOut} of the last ${options.lastMessages} messages are not recalled: together they are too large.`;
    args.onViolation({ message, rule: 'recall-max-bytes', strategy: 'warn', count: leftOut });
  }
  // A message that the conversation has is the caller's newer copy: adding the stored one would replace it.
  const known = new Set(messageList.get.all.db().map((message) => message.id));
  const fresh = recalled.filter((message) => message.role !== 'system' && !known.has(message.id));
  messageList.add(fresh, 'remembered');

  const system = recalled.filter((message) => message.role === 'system');
  if (options.includeSystemMessages && system.length > 0) {
    const tag = entryTag(SYSTEM_TAG, 'message-history', args.entry);
    messageList.setSystem(tag, system.map(messageText));
  }
}

async function save(store: HistoryStore, args: ProcessOutputResultArgs): Promise<void> {
  const { messageList, result, run, abortSignal } = args;
  const { tenant, threadId, resourceId, runId, epoch } = run;
  if (threadId === undefined || !result.answered) return;
  const owner = memoryOwner({ threadId, resourceId });

  // `input` is the caller's alone here: `context` is not among what this processor reads, so it is not sent.
  const messages = messagesToStore(run, messageList.get.input.db(), messageList.get.response.db());
  const block = { tenant, threadId, owner, runId, epoch, messages };
  await throughShortOutage(() => store.saveBlock(block, abortSignal), abortSignal);
}
