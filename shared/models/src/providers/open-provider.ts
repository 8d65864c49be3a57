// Creates the models of one provider by the AI SDK's package for its protocol. A model is a name, so making one costs nothing.
import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider';
import { fetchBounded } from '../openai-stream/body-bounds.ts';
import { createChatRepairer } from '../openai-stream/compatible-events.ts';
import { createCompatibleModel } from '../openai-stream/compatible-model.ts';
import { withDirectDeltas, type StreamForm } from '../openai-stream/direct-deltas.ts';
import type { Fetch } from '../openai-stream/http-post.ts';
import { readChatDelta, readMessagesDelta, readResponsesDelta } from '../openai-stream/plain-delta.ts';
import { createUnstoredModel } from '../unstored-model.ts';
import { withCachePoints } from './cache-points.ts';
import { createAnthropic, createGoogle, createOpenAI } from './clients.ts';
import { OPENAI_BASE_URL, type Provider } from './provider-config.ts';

export type LanguageModelOptions = {
  /** Streams join the pieces of a part that arrive together. Not if a call asks for raw chunks. */
  joinsDeltas?: boolean;
};

export type OpenProvider = {
  createLanguageModel(name: string, options: LanguageModelOptions): LanguageModelV4;
  /** Absent: the protocol has no embeddings. */
  createEmbeddingModel?: (name: string) => EmbeddingModelV4;
};

const RESPONSES_FORM: StreamForm = { read: readResponsesDelta, createRepairer: () => (data) => data };
const MESSAGES_FORM: StreamForm = { read: readMessagesDelta, createRepairer: () => (data) => data };
const CHAT_FORM: StreamForm = { read: readChatDelta, createRepairer: createChatRepairer };

/** The key of a server without one: clients of providers require a value. */
const NO_KEY = 'none';

/** The base URL is always given to the client, which would otherwise look for it in the environment. */
export function openProvider(provider: Provider): OpenProvider {
  switch (provider.kind) {
    case 'openai':
    case 'openai-compatible':
      return openOpenAI(provider, provider.kind === 'openai');
    case 'anthropic':
      return openAnthropic(provider);
    case 'google':
      return openGoogle(provider);
  }
}

function openOpenAI(
  { apiKey = NO_KEY, baseUrl = OPENAI_BASE_URL, headers }: Provider,
  isResponses: boolean,
): OpenProvider {
  const open = (fetch: Fetch) => createOpenAI({ apiKey, baseURL: baseUrl, headers, fetch });
  const own = open(fetchBounded);
  return {
    createLanguageModel(name, { joinsDeltas = false }) {
      const create = (fetch: Fetch) => (isResponses ? open(fetch).responses(name) : open(fetch).chat(name));
      const model = isResponses ? own.responses(name) : createCompatibleModel(create);
      const read = joinsDeltas ? withDirectDeltas(model, create, isResponses ? RESPONSES_FORM : CHAT_FORM) : model;
      return isResponses ? createUnstoredModel(read) : read;
    },
    createEmbeddingModel: (name) => own.embeddingModel(name),
  };
}

/** Source: Anthropic's API reference. */
const ANTHROPIC_BASE_URL = 'https://api.anthropic.com/v1';

function openAnthropic({
  apiKey = NO_KEY,
  baseUrl = ANTHROPIC_BASE_URL,
  headers,
  promptCache,
}: Provider): OpenProvider {
  const open = (fetch: Fetch) => createAnthropic({ apiKey, baseURL: baseUrl, headers, fetch });
  const bounded = open(fetchBounded);
  return {
    createLanguageModel(name, { joinsDeltas = false }) {
      const model = bounded.languageModel(name);
      const create = (fetch: Fetch) => open(fetch).languageModel(name);
      const read = joinsDeltas ? withDirectDeltas(model, create, MESSAGES_FORM) : model;
      return promptCache ? withCachePoints(read) : read;
    },
  };
}

/** Source: Google's reference of the Gemini API. */
const GOOGLE_BASE_URL = 'https://generativelanguage.googleapis.com/v1beta';

function openGoogle({ apiKey = NO_KEY, baseUrl = GOOGLE_BASE_URL, headers }: Provider): OpenProvider {
  const own = createGoogle({ apiKey, baseURL: baseUrl, headers, fetch: fetchBounded });
  return {
    createLanguageModel: (name) => own.languageModel(name),
    createEmbeddingModel: (name) => own.embeddingModel(name),
  };
}
