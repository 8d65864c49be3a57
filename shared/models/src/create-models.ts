// All that Millrace asks of model providers: language models for the orchestrator's own loop, embeddings, and one object of a schema.
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { createHash } from 'node:crypto';
import { MillraceError, type JsonObject } from '@millrace/contracts';
import { createEmbedder, type Embedder } from './embedder.ts';
import { generateObjectWith, type GenerateObjectRequest } from './generate-object.ts';
import { rememberKey } from './own-keys.ts';
import { openProvider, type LanguageModelOptions, type OpenProvider } from './providers/open-provider.ts';
import { listOpenAIProviders, type ProviderKind, type Providers } from './providers/provider-config.ts';

export type ModelsOptions = {
  /** Key and base URL of the providers `openai` and `openai-chat`, instead of those in `providers`. */
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  providers?: Providers;
};

export type Models = {
  /** @throws model-unknown */
  createLanguageModel(id: string, options?: LanguageModelOptions): LanguageModelV4;
  /** Returns the configured providers by name, without their addresses and keys. */
  listProviders(): { name: string; kind: ProviderKind; hasKey: boolean }[];
  /** Returns a token for the route of a model: its provider, key and name. Empty: the model has no route. @throws model-unknown */
  identifyRoute(id: string): string;
  /** @throws model-unknown */
  createEmbedder(id: string): Embedder;
  /** See generateObjectWith for its errors; also model-unknown. */
  generateObject(request: GenerateObjectRequest): Promise<JsonObject>;
};

export function createModels({ apiKey, baseUrl, providers = new Map() }: ModelsOptions): Models {
  const known: Providers = new Map([...providers, ...listOpenAIProviders({ apiKey, baseUrl })]);
  for (const provider of known.values()) if (provider.apiKey !== undefined) rememberKey(provider.apiKey);
  const opened = new Map([...known].map(([name, provider]) => [name, openProvider(provider)]));
  const createLanguageModel = (id: string, options: LanguageModelOptions = {}): LanguageModelV4 => {
    const { provider, name } = findProvider(opened, id);
    return provider.createLanguageModel(name, options);
  };
  return {
    createLanguageModel,
    listProviders: () =>
      [...known]
        .map(([name, { kind, apiKey }]) => ({ name, kind, hasKey: apiKey !== undefined }))
        .toSorted((before, after) => (before.name < after.name ? -1 : 1)),
    identifyRoute(id) {
      const { prefix, name } = findProvider(opened, id);
      const { kind, baseUrl = '', apiKey = '' } = known.get(prefix) ?? {};
      return createHash('sha256')
        .update(JSON.stringify([kind, baseUrl, apiKey, name]))
        .digest('hex')
        .slice(0, 32);
    },
    createEmbedder(id) {
      const { provider, name } = findProvider(opened, id);
      if (!provider.createEmbeddingModel)
        throw new MillraceError('model-unknown', `The provider of "${id}" has no embeddings.`, {
          remedy: 'Use an embedder of another provider, for example openai/text-embedding-3-small.',
        });
      return createEmbedder(id, provider.createEmbeddingModel(name));
    },
    generateObject: ({ model, ...request }) =>
      generateObjectWith({ ...request, model: createLanguageModel(model), modelId: model }),
  };
}

type FoundProvider = { provider: OpenProvider; prefix: string; name: string };

/** Model names may hold slashes themselves ("openai-chat/meta/llama-3"): only the first one divides. */
function findProvider(opened: ReadonlyMap<string, OpenProvider>, id: string): FoundProvider {
  const slash = id.indexOf('/');
  const [prefix, name] = slash < 0 ? [id, ''] : [id.slice(0, slash), id.slice(slash + 1)];
  const provider = opened.get(prefix);
  if (provider && name !== '') return { provider, prefix, name };
  throw new MillraceError(
    'model-unknown',
    `There is no model "${id}": ${name === '' ? 'it names no provider' : `no provider "${prefix}" is configured`}.`,
    {
      remedy: `Write <provider>/<id>, for example openai/gpt-5-mini. Providers here: ${[...opened.keys()].join(', ') || 'none'}. PROVIDERS names the file that adds others.`,
    },
  );
}
