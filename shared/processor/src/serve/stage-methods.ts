// Which method a stage calls, and with what arguments: the input of the call in the words of the interface.
import { emptyConversation, type Message, type MessageSource, type Stage, type StageInput } from '@millrace/contracts';
import type { CommonArgs, Processor } from '../processor.ts';
import { MessageList } from '../message-list/message-list.ts';
import { fromModelError } from '../model-error.ts';

/** A stage's messages: what processInput and processInputStep see is the whole list, processOutputResult the response only. */
const MESSAGES_OF: Partial<Record<Stage, MessageSource[]>> = { processOutputResult: ['response'] };
const afterModel: readonly Stage[] = [
  'processOutputStep',
  'processOutputResult',
  'processToolResult',
  'processOutputStream',
];

export function createList(stage: Stage, input: StageInput): MessageList {
  return new MessageList(input.conversation ?? emptyConversation, afterModel.includes(stage) ? 'response' : 'input');
}

/** @param list as createList made it */
export function messagesFor(stage: Stage, list: MessageList): Message[] {
  const sources = MESSAGES_OF[stage];
  return sources ? list.get.response.db() : list.get.all.db();
}

/** The method's result. @throws what the method throws */
export function callMethod(
  processor: Processor,
  stage: Stage,
  common: CommonArgs,
  input: StageInput,
  { list, messages }: { list: MessageList; messages: Message[] },
): unknown {
  const withMessages = { ...common, messages, messageList: list, systemMessages: list.getAllSystemMessages() };
  const { steps = [], model = '', tools = [], toolCalls = [], text = '', usage = {}, finishReason = '' } = input;
  switch (stage) {
    case 'processInput':
      return processor.processInput?.(withMessages);
    case 'processInputStep':
      return processor.processInputStep?.({ ...withMessages, ...modelCall(input), steps });
    case 'processLLMRequest':
      return processor.processLLMRequest?.({
        ...common,
        ...modelCall(input),
        tools,
        prompt: input.prompt ?? [],
        steps,
        guards: input.guards ?? [],
      });
    case 'processAPIError':
      return processor.processAPIError?.({ ...withMessages, error: fromModelError(input.error), steps, model });
    case 'processLLMResponse': {
      const { chunks = [], fromCache = false, warnings = [], request = null, rawResponse = null } = input;
      const { modelCall = 0 } = input;
      const call = { chunks, model, steps, fromCache, warnings, finishReason, usage, modelCall, request, rawResponse };
      return processor.processLLMResponse?.({ ...common, ...call });
    }
    case 'processOutputStep':
      return processor.processOutputStep?.({ ...withMessages, finishReason, toolCalls, text, usage, steps });
    case 'processToolCall':
      return processor.processToolCall?.({ ...common, ...toolOf(input), messageList: list });
    case 'processToolResult': {
      const { result = null, isError = false } = input;
      return processor.processToolResult?.({ ...common, ...toolOf(input), result, isError, messageList: list });
    }
    case 'processOutputResult': {
      const result = { text, usage, finishReason, steps, answered: input.answered ?? true };
      return processor.processOutputResult?.({ ...withMessages, result });
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
