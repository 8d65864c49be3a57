// Which method a stage calls, and with what arguments: the input of the call in the words of the interface.
import type { Stage, StageInput } from '@millrace/contracts';
import type { CommonArgs, Processor } from '../processor.ts';
import { fromModelError } from '../model-error.ts';
import { argsOf, argsWithMessages, readable, type GivenMessages } from './stage-args.ts';

/** The method's result. @throws what the method throws */
export function callMethod(
  processor: Processor,
  stage: Stage,
  common: CommonArgs,
  input: StageInput,
  given: GivenMessages,
): unknown {
  const args = <M extends object>(members: M) => argsOf(common, members, given);
  const withMessages = <M extends object>(members: M) => argsWithMessages(common, members, given);
  const messageList = given.list;
  const { steps = [], model = '', tools = [], toolCalls = [], text = '', usage = {}, finishReason = '' } = input;
  switch (stage) {
    case 'processInput':
      return processor.processInput?.(withMessages({}));
    case 'processInputStep':
      return processor.processInputStep?.(withMessages({ ...modelCall(input), steps }));
    case 'processLLMRequest': {
      const { prompt = [], guards = [] } = input;
      return processor.processLLMRequest?.(args({ ...modelCall(input), tools, prompt, steps, guards }));
    }
    case 'processAPIError':
      return processor.processAPIError?.(withMessages({ error: fromModelError(input.error), steps, model }));
    case 'processLLMResponse': {
      const { chunks = [], fromCache = false, warnings = [], request = null, rawResponse = null } = input;
      const { modelCall: number = 0, cutOff = false } = input;
      const call = { chunks, model, steps, fromCache, warnings, finishReason, usage, modelCall: number, cutOff };
      return processor.processLLMResponse?.(args({ ...call, request, rawResponse }));
    }
    case 'processOutputStep':
      return processor.processOutputStep?.(withMessages({ finishReason, toolCalls, text, usage, steps }));
    case 'processToolCall':
      return processor.processToolCall?.({ ...common, ...toolOf(input), messageList });
    case 'processToolResult': {
      const { result = null, isError = false } = input;
      return processor.processToolResult?.({ ...common, ...toolOf(input), result, isError, messageList });
    }
    case 'processOutputResult': {
      const result = { text, usage, finishReason, steps, answered: input.answered ?? true };
      return processor.processOutputResult?.(withMessages({ result: readable(result, given, 'result') }));
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
