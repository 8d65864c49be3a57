// Calls the method of a stage with the arguments of the interface.
import { nameText, type Stage, type StageInput, type ModelError } from '@millrace/contracts';
import type { CommonArgs, Processor } from '../processor/processor.ts';
import { buildArgs, buildArgsWithMessages, buildReadable, type StageMessages } from './stage-args.ts';

/** Returns the method's result. @throws the error of the method */
export function callMethod(
  processor: Processor,
  stage: Stage,
  common: CommonArgs,
  input: StageInput,
  given: StageMessages,
): unknown {
  const buildCallArgs = <M extends object>(members: M) => buildArgs(common, members, given);
  const withMessages = <M extends object>(members: M) => buildArgsWithMessages(common, members, given);
  const messageList = given.list;
  const { steps = [], model = '', tools = [], toolCalls = [], text = '', usage = {}, finishReason = '' } = input;
  const forMemories = {
    ...(input.judges && { judges: input.judges }),
    ...(input.replaces && { replaces: input.replaces }),
  };
  switch (stage) {
    case 'processInput':
      return processor.processInput?.(withMessages(forMemories));
    case 'processInputStep':
      return processor.processInputStep?.(withMessages({ ...buildModelCall(input), steps }));
    case 'processLLMRequest': {
      const { prompt = [], guards = [] } = input;
      return processor.processLLMRequest?.(buildCallArgs({ ...buildModelCall(input), tools, prompt, steps, guards }));
    }
    case 'processAPIError':
      return processor.processAPIError?.(withMessages({ error: fromModelError(input.error), steps, model }));
    case 'processLLMResponse': {
      const { chunks = [], fromCache = false, warnings = [], request = null, rawResponse = null } = input;
      const { modelCall: number = 0, cutOff = false } = input;
      const call = { chunks, model, steps, fromCache, warnings, finishReason, usage, modelCall: number, cutOff };
      return processor.processLLMResponse?.(buildCallArgs({ ...call, request, rawResponse }));
    }
    case 'processOutputStep':
      return processor.processOutputStep?.(withMessages({ finishReason, toolCalls, text, usage, steps }));
    case 'processToolCall':
      return processor.processToolCall?.({ ...common, ...buildToolMembers(input), messageList });
    case 'processToolResult': {
      const { result = null, resultText, resultOrigin, isError = false } = input;
      const outcome = { result, ...nameText('result', resultText), ...(resultOrigin && { resultOrigin }), isError };
      return processor.processToolResult?.({ ...common, ...buildToolMembers(input), ...outcome, messageList });
    }
    case 'processOutputResult': {
      const result = { text, usage, finishReason, steps, answered: input.answered ?? true };
      return processor.processOutputResult?.(
        withMessages({ result: buildReadable(result, given, 'result'), ...forMemories }),
      );
    }
    case 'processOutputStream':
      throw new Error('processOutputStream is called by chunk, in stream-links.ts');
  }
}

function buildModelCall(input: StageInput) {
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

function buildToolMembers(input: StageInput) {
  const { toolCall, tool } = input;
  if (!toolCall || !tool) throw new Error('a tool stage was called without its tool call');
  return { toolCall, tool };
}

const errorMarker = Symbol.for('vercel.ai.error');
const callMarker = Symbol.for('vercel.ai.error.AI_APICallError');

/** Rebuilds a model call's error from the wire with the marker of the provider packages, so that APICallError.isInstance(error) is true in a processor that imports @ai-sdk/provider itself. */
export function fromModelError(error: ModelError | undefined): Error {
  const { message = 'The model call failed.', name = 'AI_APICallError', ...rest } = error ?? {};
  const rebuilt = Object.assign(new Error(message), { requestBodyValues: {}, ...rest });
  rebuilt.name = name;
  return Object.assign(rebuilt, { [errorMarker]: true, [callMarker]: true });
}
