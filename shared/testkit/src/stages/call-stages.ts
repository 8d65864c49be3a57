// Calls processors as a replica does, without a bus: parses options, restricts messages to the reads, applies changes.
import {
  applyOps,
  buildTextMessage,
  type Conversation,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageSource,
  type RunJudges,
  type RunRef,
  type Stage,
  type Verdict,
} from '@millrace/contracts';
import { callStage, createHostedProcessors, type ProcessorDefinition } from '@millrace/processor';
import { TEST_RUN, callContext, callEntry, stageCall } from './stage-call.ts';

export const aRun = (changes: Partial<RunRef> = {}): RunRef => ({ ...TEST_RUN, ...changes });

type StageUse = { definition: ProcessorDefinition; options?: JsonObject };
type Messages = readonly (string | Message)[];

export type StageCallInput = {
  stage: Stage;
  uses: StageUse[];
  /** By source, in order; a string is a message of the user, or of the model for `response`. */
  messages?: Partial<Record<MessageSource, Messages>>;
  /** Short for `messages.input` and `messages.response`. */
  input?: Messages;
  response?: Messages;
  run?: RunRef;
  answered?: boolean;
  judges?: RunJudges;
  /** Of every entry, as its last call left it. */
  state?: JsonObject;
  signal?: AbortSignal;
  /** Answer to every entry's suspension. */
  resumeData?: JsonValue;
};

export type StageCallResult = {
  verdicts: Verdict[];
  conversation: Conversation;
  /** As the last entry leaves it. */
  state: JsonObject;
  system(tag: string): string[];
};

export async function callStages(given: StageCallInput): Promise<StageCallResult> {
  const { stage, uses, run = aRun(), answered = true, judges, signal, state: lastState = {}, resumeData } = given;
  const before = conversationBefore(given);
  const more = { state: lastState, ...(resumeData !== undefined && { resumeData }) };
  const entries = uses.map(({ definition: { id }, options }) => callEntry(id, options, more));
  const { verdicts } = await callStage(
    stageCall(stage, entries, { conversation: before, answered, ...(judges && { judges }) }, run),
    createHostedProcessors(uses.map(({ definition }) => definition)),
    callContext({ run, ...(signal && { signal }) }),
  );
  const ops = verdicts.flatMap((verdict) => ('changes' in verdict ? (verdict.changes?.ops ?? []) : []));
  const conversation = applyOps(before, ops);
  const last = verdicts.at(-1);
  return {
    verdicts,
    conversation,
    state: (last && 'state' in last ? last.state : undefined) ?? lastState,
    system: (tag) => conversation.system.filter((message) => message.tag === tag).map((message) => message.content),
  };
}

const SOURCES: readonly MessageSource[] = ['remembered', 'context', 'input', 'response'];

function conversationBefore({ messages, input = [], response = [] }: StageCallInput): Conversation {
  const given: Partial<Record<MessageSource, Messages>> = { input, response, ...messages };
  const entries = SOURCES.flatMap((source) =>
    (given[source] ?? []).map((one, at) => {
      const role = source === 'response' ? 'assistant' : 'user';
      return { source, message: typeof one === 'string' ? buildTextMessage(`${role}-${at}`, role, one) : one };
    }),
  );
  return { entries, system: [] };
}
