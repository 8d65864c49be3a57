// All that Millrace asks of a model provider: language models for the orchestrator's own loop, embeddings, and one object of a
// schema. One provider client serves everything; a model of it is a name, so making one costs nothing.
import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { JsonObject } from '@millrace/contracts';
import { createEmbedder, type Embedder } from './embedder.ts';
import { generateObjectWith, type GenerateObjectRequest } from './generate-object.ts';
import { fetchBounded } from './openai-stream/body-bounds.ts';
import type { Fetch } from './openai-stream/http-post.ts';
import { withDirectDeltas } from './openai-stream/direct-deltas.ts';
import { readChatDelta, readResponsesDelta } from './openai-stream/plain-delta.ts';
import { parseEmbedderId, parseModelId } from './model-id.ts';
import { rememberKey } from './own-keys.ts';

/** Default base URL of the provider's client. Source: OpenAI's API reference. */
export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

export type ModelsOptions = {
  apiKey: string;
  /** OPENAI_BASE_URL if absent. Given here, so that the provider's client does not look into the environment itself. */
  baseUrl?: string | undefined;
};

type ModelOptions = {
  /** Streams join the pieces of a part that arrive together. Not if a call asks for raw chunks. */
  joinsDeltas?: boolean;
};

export type Models = {
  /** @throws model-unknown */
  createLanguageModel(id: string, options?: ModelOptions): LanguageModelV4;
  /** @throws model-unknown */
  createEmbedder(id: string): Embedder;
  /** See generateObjectWith for its errors; also model-unknown. */
  generateObject(request: GenerateObjectRequest): Promise<JsonObject>;
};

export function createModels({ apiKey, baseUrl = OPENAI_BASE_URL }: ModelsOptions): Models {
  rememberKey(apiKey);
  const provider = createOpenAI({ apiKey, baseURL: baseUrl, fetch: fetchBounded });
  const createLanguageModel = (id: string, { joinsDeltas = false }: ModelOptions = {}): LanguageModelV4 => {
    const { api, name } = parseModelId(id);
    const isResponses = api === 'responses';
    const pickModel = (from: OpenAIProvider) => (isResponses ? from.responses(name) : from.chat(name));
    if (!joinsDeltas) return pickModel(provider);
    const create = (fetch: Fetch) => pickModel(createOpenAI({ apiKey, baseURL: baseUrl, fetch }));
    return withDirectDeltas(create, isResponses ? readResponsesDelta : readChatDelta);
  };
  return {
    createLanguageModel,
    createEmbedder: (id) => createEmbedder(id, provider.embeddingModel(parseEmbedderId(id))),
    generateObject: ({ model, ...request }) =>
      generateObjectWith({ ...request, model: createLanguageModel(model), modelId: model }),
  };
}
