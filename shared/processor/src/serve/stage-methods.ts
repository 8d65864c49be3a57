// Which method a stage calls, and with what arguments: the input of the call in the words of the interface.
import { emptyConversation, type Message, type MessageSource, type Stage, type StageInput } from '@millrace/contracts';
import type { CommonArgs, Processor } from '../processor.ts';
import { MessageList } from '../message-list/message-list.ts';
import type { ReadGuard } from './read-guard.ts';
import { fromModelError } from '../model-error.ts';

/** A stage's messages: what processInput and processInputStep see is the whole list, processOutputResult the response only. */
const MESSAGES_OF: Partial<Record<Stage, MessageSource[]>> = { processOutputResult: ['response'] };
const ANY_SOURCE = ['input', 'response', 'remembered', 'context'] as const;
/** Arguments that come from what is read. */
const NEEDS = {
  systemMessages: ['system'],
  steps: ['steps'],
  prompt: ['prompt'],
  chunks: ['chunks'],
  tools: ['tools'],
  request: ['request'],
  rawResponse: ['request'],
} as const;
const afterModel: readonly Stage[] = [
  'processOutputStep',
  'processOutputResult',
  'processToolResult',
  'processOutputStream',
];

export function createList(stage: Stage, input: StageInput, guard: ReadGuard): MessageList {
  const source = afterModel.includes(stage) ? 'response' : 'input';
  return new MessageList(input.conversation ?? emptyConversation, source, guard);
}

/** @param list as createList made it */
export function messagesFor(stage: Stage, list: MessageList, guard: ReadGuard): Message[] {
  const sources = MESSAGES_OF[stage];
  if (!guard.has(sources ?? ANY_SOURCE)) return [];
  return sources ? list.get.response.db() : list.get.all.db();
}

/** The method's result. @throws what the method throws */
export function callMethod(
  processor: Processor,
  stage: Stage,
  common: CommonArgs,
  input: StageInput,
  { list, messages, guard }: { list: MessageList; messages: Message[]; guard: ReadGuard },
): unknown {
  const needs = { ...NEEDS, messages: MESSAGES_OF[stage] ?? ANY_SOURCE };
  const read = <A extends object>(args: A): A => guard.args(args, needs);
  const systemMessages = guard.has(NEEDS.systemMessages) ? list.getAllSystemMessages() : [];
  const withMessages = { ...common, messages, messageList: list, systemMessages };
  const { steps = [], model = '', tools = [], toolCalls = [], text = '', usage = {}, finishReason = '' } = input;
  switch (stage) {
    case 'processInput':
      return processor.processInput?.(read(withMessages));
    case 'processInputStep':
      return processor.processInputStep?.(read({ ...withMessages, ...modelCall(input), steps }));
    case 'processLLMRequest':
      return processor.processLLMRequest?.(
        read({ ...common, ...modelCall(input), tools, prompt: input.prompt ?? [], steps, guards: input.guards ?? [] }),
      );
    case 'processAPIError':
      return processor.processAPIError?.(read({ ...withMessages, error: fromModelError(input.error), steps, model }));
    case 'processLLMResponse': {
      const { chunks = [], fromCache = false, warnings = [], request = null, rawResponse = null } = input;
      const { modelCall = 0, cutOff = false } = input;
      const call = { chunks, model, steps, fromCache, warnings, finishReason, usage, modelCall, cutOff };
      return processor.processLLMResponse?.(read({ ...common, ...call, request, rawResponse }));
    }
    case 'processOutputStep':
      return processor.processOutputStep?.(read({ ...withMessages, finishReason, toolCalls, text, usage, steps }));
    case 'processToolCall':
      return processor.processToolCall?.({ ...common, ...toolOf(input), messageList: list });
    case 'processToolResult': {
      const { result = null, isError = false } = input;
      return processor.processToolResult?.({ ...common, ...toolOf(input), result, isError, messageList: list });
    }
    case 'processOutputResult': {
      const result = read({ text, usage, finishReason, steps, answered: input.answered ?? true });
      return processor.processOutputResult?.(read({ ...withMessages, result }));
    }
    case 'processOutputStream':
      throw new Error('processOutputStream is called chunk by chunk, by stream-links.ts');
  }
}

function modelCall(input: StageInput) {
  const { activeTools, toolChoice, structuredOutput } = input;
  return {
    model: input.model ?? '',
    tools: Object.fromEntries((input.tools ?? []).map((tool) => [tool.name, tool])),
    ...(activeTools && { activeTools }),
    ...(toolChoice && { toolChoice }),
    ...(structuredOutput && { structuredOutput }),
    modelSettings: input.modelSettings ?? {},
    providerOptions: input.providerOptions ?? {},
  };
}

function toolOf(input: StageInput) {
  const { toolCall, tool } = input;
  if (!toolCall || !tool) throw new Error('a tool stage was called without its tool call');
  return { toolCall, tool };
}
