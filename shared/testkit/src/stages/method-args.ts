// Builds arguments for tests that call a processor's method directly. call-stages.ts tests the replica's handling of
// the result.
import {
  buildTextMessage,
  type Chunk,
  type JsonObject,
  type JsonValue,
  type Message,
  type Violation,
} from '@millrace/contracts';
import {
  MessageList,
  StopError,
  createEntryArgs,
  type CommonArgs,
  type ProcessInputArgs,
  type ProcessOutputResultArgs,
  type ProcessOutputStepArgs,
  type ProcessOutputStreamArgs,
  type ProcessToolCallArgs,
  type ProcessToolResultArgs,
} from '@millrace/processor';
import { NOTES_TOOL } from './notes-tool.ts';
import { callContext, callEntry } from './stage-call.ts';

export type TestArgs = CommonArgs & { violations: Omit<Violation, 'processorId'>[] };

/** Common arguments as a replica builds them. `state` is the given object: a test may read it. */
export function commonArgs(state: JsonObject = {}): TestArgs {
  const violations: TestArgs['violations'] = [];
  const writeFailed = (error: unknown) => {
    throw error;
  };
  const { common } = createEntryArgs(callEntry('guard'), callContext(), { writeFailed });
  return { ...common, state, onViolation: (violation) => void violations.push(violation), violations };
}

/** A stage with messages. Strings are user messages of the input, with the ids m0, m1, … */
export function inputArgs(input: (string | Message)[], state: JsonObject = {}): ProcessInputArgs & TestArgs {
  const messageList = new MessageList({ entries: inputEntries(input), system: [] }, 'input');
  return { ...commonArgs(state), messages: messageList.get.all.db(), messageList, systemMessages: [] };
}

const inputEntries = (input: readonly (string | Message)[]) =>
  input.map((text, at) => ({
    source: 'input' as const,
    message: typeof text === 'string' ? buildTextMessage(`m${at}`, 'user', text) : text,
  }));

/** The end of a run. @param input as of `inputArgs` */
export function resultArgs(
  response: Message[],
  { input = [], state = {} }: { input?: (string | Message)[]; state?: JsonObject } = {},
): ProcessOutputResultArgs & TestArgs {
  const answers = response.map((message) => ({ source: 'response' as const, message }));
  const entries = [...inputEntries(input), ...answers];
  const messageList = new MessageList({ entries, system: [] }, 'response');
  const result = { text: '', usage: {}, finishReason: 'stop', steps: [], answered: true };
  return { ...commonArgs(state), messages: messageList.get.response.db(), messageList, systemMessages: [], result };
}

export function toolCallArgs(args: JsonValue, common: TestArgs = commonArgs()): ProcessToolCallArgs & TestArgs {
  return {
    ...common,
    toolCall: { toolCallId: 'c1', toolName: NOTES_TOOL.name, args },
    tool: NOTES_TOOL,
    messageList: new MessageList({ entries: [], system: [] }, 'response'),
  };
}

export const toolResultArgs = (result: JsonValue, state: JsonObject = {}): ProcessToolResultArgs & TestArgs => ({
  ...toolCallArgs({}, commonArgs(state)),
  result,
  isError: false,
});

export function streamArgs(part: Chunk, common: TestArgs): ProcessOutputStreamArgs {
  const messageList = new MessageList({ entries: [], system: [] }, 'response');
  return { ...common, part, streamParts: [part], messageList };
}

/** Returns the verdict of the stop that a call threw. Fails if it threw none. */
export async function catchStop(call: () => unknown): Promise<StopError['verdict']> {
  try {
    await call();
  } catch (error) {
    if (StopError.isInstance(error)) return error.verdict;
    throw error;
  }
  throw new Error('the stage went on');
}

export function stepArgs(text: string, state: JsonObject = {}): ProcessOutputStepArgs & TestArgs {
  const messageList = new MessageList({ entries: [], system: [] }, 'response');
  const step = { finishReason: 'stop', toolCalls: [], text, usage: {}, steps: [] };
  return { ...commonArgs(state), messages: [], messageList, systemMessages: [], ...step };
}
