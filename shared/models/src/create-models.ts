// All that Millrace asks of a model provider: language models for the orchestrator's own loop, embeddings, and one object of a
// schema. One provider client serves everything; a model of it is a name, so making one costs nothing.
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { JsonObject } from '@millrace/contracts';
import { createEmbedder, type Embedder } from './embedder.ts';
import { generateObjectWith, type GenerateObjectRequest } from './generate-object.ts';
import { fetchBounded } from './openai-stream/body-bounds.ts';
import { createChatRepairer } from './openai-stream/compatible-events.ts';
import { createCompatibleModel } from './openai-stream/compatible-model.ts';
import type { Fetch } from './openai-stream/http-post.ts';
import { withDirectDeltas, type StreamForm } from './openai-stream/direct-deltas.ts';
import { readChatDelta, readResponsesDelta } from './openai-stream/plain-delta.ts';
import { parseEmbedderId, parseModelId } from './model-id.ts';
import { rememberKey } from './own-keys.ts';
import { createUnstoredModel } from './unstored-model.ts';

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

const RESPONSES_FORM: StreamForm = { read: readResponsesDelta, createRepairer: () => (data) => data };
const CHAT_FORM: StreamForm = { read: readChatDelta, createRepairer: createChatRepairer };

export function createModels({ apiKey, baseUrl = OPENAI_BASE_URL }: ModelsOptions): Models {
  rememberKey(apiKey);
  const provider = createOpenAI({ apiKey, baseURL: baseUrl, fetch: fetchBounded });
  const createLanguageModel = (id: string, { joinsDeltas = false }: ModelOptions = {}): LanguageModelV4 => {
    const { api, name } = parseModelId(id);
    const isResponses = api === 'responses';
    const create = (fetch: Fetch) => {
      const own = createOpenAI({ apiKey, baseURL: baseUrl, fetch });
      return isResponses ? own.responses(name) : own.chat(name);
    };
    const model = isResponses ? provider.responses(name) : createCompatibleModel(create);
    const read = joinsDeltas ? withDirectDeltas(model, create, isResponses ? RESPONSES_FORM : CHAT_FORM) : model;
    return isResponses ? createUnstoredModel(read) : read;
  };
  return {
    createLanguageModel,
    createEmbedder: (id) => createEmbedder(id, provider.embeddingModel(parseEmbedderId(id))),
    generateObject: ({ model, ...request }) =>
      generateObjectWith({ ...request, model: createLanguageModel(model), modelId: model }),
  };
}
