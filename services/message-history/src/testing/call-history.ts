// Calls a stage of message-history among other processors of its list, and returns the verdict and the resulting
// conversation.
import type { Conversation, JsonObject, Message, MessageSource, RunJudges, RunRef, Verdict } from '@millrace/contracts';
import type { ProcessorDefinition } from '@millrace/processor';
import { callStages } from '@millrace/testkit';
import type { HistoryStore } from '../store/history-store.ts';
import { defineMessageHistory } from '../processor/message-history.ts';

export const RUN: RunRef = {
  tenant: 'default',
  runId: 'run-9',
  agent: 'demo',
  epoch: 1,
  threadId: 'thread-1',
  resourceId: 'ada',
};

export type HistoryCall = {
  run?: Partial<RunRef>;
  options?: JsonObject;
  /** By source, in order. */
  messages?: Partial<Record<MessageSource, Message[]>>;
  answered?: boolean;
  /** The judges of the run. */
  judges?: RunJudges;
  signal?: AbortSignal;
  /** Entries of the same list, before and after message-history. */
  before?: ProcessorDefinition[];
  after?: ProcessorDefinition[];
};
/** `verdict`: the last one. */
export type HistoryOutcome = { verdict: Verdict | undefined; conversation: Conversation; messages: Message[] };

export async function callHistory(
  store: HistoryStore,
  stage: 'processInput' | 'processOutputResult',
  { run, options = {}, messages = {}, answered = true, judges, signal, before = [], after = [] }: HistoryCall = {},
): Promise<HistoryOutcome> {
  const { threadId, ...rest } = { ...RUN, ...run };
  const { verdicts, conversation } = await callStages({
    stage,
    uses: [
      ...before.map((definition) => ({ definition })),
      {
        definition: defineMessageHistory({
          store,
          forget: async () => undefined,
          titles: { request: () => undefined },
        }),
        options,
      },
      ...after.map((definition) => ({ definition })),
    ],
    messages,
    answered,
    ...(judges && { judges }),
    run: { ...rest, ...(threadId !== undefined && { threadId }) },
    ...(signal && { signal }),
  });
  return { verdict: verdicts.at(-1), conversation, messages: conversation.entries.map(({ message }) => message) };
}
