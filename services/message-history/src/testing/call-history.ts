// Calls a stage of message-history as a replica does, and answers with the verdict and the conversation after it.
import {
  applyChanges,
  emptyConversation,
  type Conversation,
  type JsonObject,
  type Message,
  type MessageSource,
  type RunRef,
  type Verdict,
} from '@millrace/contracts';
import { callStage, createHostedProcessors, type ProcessorDefinition } from '@millrace/processor';
import type { HistoryStore } from '../store/history-store.ts';
import { messageHistory } from '../processor/message-history.ts';

export const RUN: RunRef = {
  tenant: 'default',
  runId: 'run-9',
  agent: 'demo',
  epoch: 1,
  threadId: 'thread-1',
  resourceId: 'ada',
};

export type Given = {
  run?: Partial<RunRef>;
  options?: JsonObject;
  /** By source, in order. */
  messages?: Partial<Record<MessageSource, Message[]>>;
  answered?: boolean;
  signal?: AbortSignal;
  /** Entries of the same list, before and after message-history. */
  before?: ProcessorDefinition[];
  after?: ProcessorDefinition[];
};
/** `verdict`: the last one that was given. */
export type Outcome = { verdict: Verdict | undefined; conversation: Conversation; messages: Message[] };

export async function callHistory(
  store: HistoryStore,
  stage: 'processInput' | 'processOutputResult',
  { run, options = {}, messages = {}, answered = true, signal, before = [], after = [] }: Given = {},
): Promise<Outcome> {
  const sources: MessageSource[] = ['remembered', 'context', 'input', 'response'];
  const entries = sources.flatMap((source) => (messages[source] ?? []).map((message) => ({ source, message })));
  const input = { retryCount: 0, stepNumber: 0, answered, conversation: { ...emptyConversation, entries } };
  const definitions = [...before, messageHistory(store), ...after];
  const { threadId, ...rest } = { ...RUN, ...run };
  const call = {
    callId: 'call-1',
    run: { ...rest, ...(threadId !== undefined && { threadId }) },
    entries: definitions.map(({ id }) => ({
      entry: id,
      processor: id,
      options: id === 'message-history' ? options : {},
      state: {},
    })),
    requestContext: {},
    timeoutMs: 5_000,
    remainingMs: 60_000,
    stage,
    input,
  };
  const { verdicts } = await callStage(call, createHostedProcessors(definitions), {
    run: call.run,
    requestContext: {},
    trace: undefined,
    retryCount: 0,
    stepNumber: 0,
    signal: signal ?? new AbortController().signal,
    write: () => undefined,
  });
  const { conversation } = verdicts.reduce(
    (after, verdict) => ('changes' in verdict && verdict.changes ? applyChanges(after, verdict.changes) : after),
    input,
  );
  const messagesAfter = conversation.entries.map((entry) => entry.message);
  return { verdict: verdicts.at(-1), conversation, messages: messagesAfter };
}
