// Calls processors the way a replica does, without a bus: options parsed, messages narrowed to what they read, changes applied.
import {
  applyOps,
  textMessage,
  type Conversation,
  type JsonObject,
  type Message,
  type RunRef,
  type Stage,
  type Verdict,
} from '@millrace/contracts';
import { callStage, createHostedProcessors, type ProcessorDefinition } from '@millrace/processor';

export const aRun = (changes: Partial<RunRef> = {}): RunRef => ({
  tenant: 'default',
  runId: 'run-1',
  agent: 'demo',
  epoch: 1,
  threadId: 'thread-1',
  resourceId: 'ada',
  ...changes,
});

type Use = { definition: ProcessorDefinition; options?: JsonObject };

export type StageCallInput = {
  stage: Stage;
  uses: Use[];
  input?: (string | Message)[];
  response?: (string | Message)[];
  run?: RunRef;
  answered?: boolean;
  /** Of every entry, as its last call left it. */
  state?: JsonObject;
  signal?: AbortSignal;
};

export type StageCallResult = {
  verdicts: Verdict[];
  conversation: Conversation;
  /** As the last entry leaves it. */
  state: JsonObject;
  system(tag: string): string[];
};

export async function callStages(given: StageCallInput): Promise<StageCallResult> {
  const { stage, uses, run = aRun(), answered = true, signal = new AbortController().signal } = given;
  const before: Conversation = {
    entries: [
      ...messagesOf(given.input ?? [], 'user').map((message) => ({ source: 'input' as const, message })),
      ...messagesOf(given.response ?? [], 'assistant').map((message) => ({ source: 'response' as const, message })),
    ],
    system: [],
  };
  const entries = uses.map(({ definition, options = {} }) => {
    return { entry: definition.id, processor: definition.id, options, state: given.state ?? {} };
  });
  const input = { retryCount: 0, stepNumber: 0, conversation: before, answered };
  const { verdicts } = await callStage(
    { callId: 'call-1', run, entries, requestContext: {}, timeoutMs: 5_000, remainingMs: 60_000, stage, input },
    createHostedProcessors(uses.map(({ definition }) => definition)),
    { run, requestContext: {}, trace: undefined, retryCount: 0, stepNumber: 0, signal, write: () => undefined },
  );
  const ops = verdicts.flatMap((verdict) => ('changes' in verdict ? (verdict.changes?.ops ?? []) : []));
  const conversation = applyOps(before, ops);
  const last = verdicts.at(-1);
  return {
    verdicts,
    conversation,
    state: (last && 'state' in last ? last.state : undefined) ?? given.state ?? {},
    system: (tag) => conversation.system.filter((message) => message.tag === tag).map((message) => message.content),
  };
}

function messagesOf(given: readonly (string | Message)[], role: 'user' | 'assistant'): Message[] {
  return given.map((one, at) => (typeof one === 'string' ? textMessage(`${role}-${at}`, role, one) : one));
}
