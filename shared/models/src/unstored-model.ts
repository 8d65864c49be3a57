// Asks the Responses API to store nothing, unless a call sets `store`: the provider returns its reasoning encrypted, and accepts it in a
// later prompt. If it does not (another account, a key that has changed), the call is repeated without the reasoning, with a warning.
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Prompt,
  type LanguageModelV4StreamPart,
  type SharedV4Warning,
} from '@ai-sdk/provider';

const DROPPED: SharedV4Warning = {
  type: 'other',
  message: 'The provider refused the reasoning of earlier answers: the call was repeated without it.',
};

export function createUnstoredModel(model: LanguageModelV4): LanguageModelV4 {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options) {
      const { result, dropped } = await callUnstored(options, (unstored) => model.doGenerate(unstored));
      return dropped ? { ...result, warnings: [...result.warnings, DROPPED] } : result;
    },
    async doStream(options) {
      const { result, dropped } = await callUnstored(options, (unstored) => model.doStream(unstored));
      return dropped ? { ...result, stream: result.stream.pipeThrough(createWarner()) } : result;
    },
  };
}

/** Adds the warning to the first part of a stream. */
const createWarner = () =>
  new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
    transform: (part, controller) =>
      controller.enqueue(part.type === 'stream-start' ? { ...part, warnings: [...part.warnings, DROPPED] } : part),
  });

/** @returns `dropped`: whether the call was repeated without reasoning */
async function callUnstored<T>(
  options: LanguageModelV4CallOptions,
  call: (options: LanguageModelV4CallOptions) => PromiseLike<T>,
): Promise<{ result: T; dropped: boolean }> {
  const { providerOptions, prompt } = options;
  const unstored = {
    ...options,
    providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.['openai'] } },
  };
  if (!prompt.some(hasReasoning)) return { result: await call(unstored), dropped: false };
  try {
    return { result: await call(unstored), dropped: false };
  } catch (error) {
    if (!isReasoningRefused(error)) throw error;
    return { result: await call({ ...unstored, prompt: removeReasoning(prompt) }), dropped: true };
  }
}

const hasReasoning = (message: LanguageModelV4Prompt[number]): boolean =>
  message.role === 'assistant' && message.content.some(({ type }) => type === 'reasoning');

const removeReasoning = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.map((message) =>
    message.role === 'assistant'
      ? { ...message, content: message.content.filter(({ type }) => type !== 'reasoning') }
      : message,
  );

/** Source of the texts: OpenAI's errors for items of another organization and for items without their successor. */
const isReasoningRefused = (error: unknown): boolean =>
  APICallError.isInstance(error) &&
  error.statusCode === 400 &&
  /invalid_encrypted_content|encrypted content|of type .?.?reasoning.?.? was provided without/i.test(
    `${error.message} ${error.responseBody ?? ''}`,
  );
