// Marks the places up to which Anthropic caches a prompt: the end of the instructions, and the end of the history. Without a mark the
// provider reads the whole prompt again in each step.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';

const POINT = { cacheControl: { type: 'ephemeral' as const } };

/** A call with a mark of its own stays as it is. */
export function withCachePoints(model: LanguageModelV4): LanguageModelV4 {
  const mark = (options: LanguageModelV4CallOptions) => ({ ...options, prompt: markPrompt(options.prompt) });
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(mark(options)),
    doStream: (options) => model.doStream(mark(options)),
  };
}

function markPrompt(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  if (prompt.some(({ providerOptions }) => providerOptions?.['anthropic']?.['cacheControl'] !== undefined))
    return prompt;
  const places = new Set([prompt.findLastIndex(({ role }) => role === 'system'), prompt.length - 1]);
  return prompt.map((message, at) =>
    places.has(at)
      ? {
          ...message,
          providerOptions: {
            ...message.providerOptions,
            anthropic: { ...message.providerOptions?.['anthropic'], ...POINT },
          },
        }
      : message,
  );
}
