// Asks the Responses API to store nothing, unless a call sets `store`: the provider returns its reasoning encrypted, and accepts it in a
// later prompt. If it does not (another account, a key that has changed), the call is repeated without the reasoning.
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Prompt,
} from '@ai-sdk/provider';

export function createUnstoredModel(model: LanguageModelV4): LanguageModelV4 {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => callUnstored(options, (unstored) => model.doGenerate(unstored)),
    doStream: (options) => callUnstored(options, (unstored) => model.doStream(unstored)),
  };
}

async function callUnstored<T>(
  options: LanguageModelV4CallOptions,
  call: (options: LanguageModelV4CallOptions) => PromiseLike<T>,
): Promise<T> {
  const { providerOptions, prompt } = options;
  const unstored = {
    ...options,
    providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.['openai'] } },
  };
  if (!prompt.some(hasReasoning)) return call(unstored);
  try {
    return await call(unstored);
  } catch (error) {
    if (!isReasoningRefused(error)) throw error;
    return call({ ...unstored, prompt: removeReasoning(prompt) });
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
