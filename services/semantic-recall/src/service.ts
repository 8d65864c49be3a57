// Defines the service semantic-recall: its processor on Qdrant or on the embedded store.
import {
  chooseProvider,
  createModels,
  OPENAI_BASE_URL,
  providerEnvironmentSchema,
  readProviders,
  type Embedder,
  type Providers,
} from '@millrace/models';
import type { ForgottenSaves } from '@millrace/bus';
import { modelIdSchema, type ForgetRequest } from '@millrace/contracts';
import { processorService } from '@millrace/processor';
import type { ServiceContext } from '@millrace/service';
import { searchThreads } from './api/search-threads.ts';
import { qdrantAccessSchema } from './stores/qdrant/qdrant-access.ts';
import { createQdrant } from './stores/qdrant/qdrant-client.ts';
import { createQdrantVectorStore } from './stores/qdrant/qdrant-vector-store.ts';
import { chooseTextToEmbed } from './processor/messages-to-index.ts';
import { defineSemanticRecall } from './processor/semantic-recall.ts';
import { openSqliteVectorStore } from './stores/sqlite/sqlite-vector-store.ts';
import type { VectorStore } from './store/vector-store.ts';
import { chooseMemoryOwner, buildResourceOwner, defineSharedStoreSchema } from '@millrace/stores';
import { z } from 'zod';

const embedderSchema = z.object({
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.url().optional(),
  EMBEDDING_API_KEY: z.string().optional().describe('API key of EMBEDDING_BASE_URL.'),
  EMBEDDING_BASE_URL: z
    .url()
    .optional()
    .describe('Base URL of the OpenAI-compatible server that embeds. Default: OPENAI_BASE_URL.'),
  EMBEDDING_MODEL: modelIdSchema.default('openai/text-embedding-3-small'),
});

const storeSchema = z.intersection(defineSharedStoreSchema('QDRANT_URL', 'semantic-recall'), qdrantAccessSchema);
const configSchema = z.intersection(z.intersection(storeSchema, embedderSchema), providerEnvironmentSchema);
type RecallConfig = z.output<typeof configSchema>;

export const semanticRecallService = processorService({
  name: 'semantic-recall',
  version: '0.1.0',
  description: 'Recalls earlier messages by meaning and indexes those of a run.',
  config: configSchema,
  async open(context) {
    const { config, log, resources } = context;
    const store = openStore(context);
    resources.add('store', () => store.close());
    const { apiKey, baseUrl } = chooseProvider(
      { apiKey: config.EMBEDDING_API_KEY, baseUrl: config.EMBEDDING_BASE_URL },
      { apiKey: config.OPENAI_API_KEY, baseUrl: config.OPENAI_BASE_URL },
    );
    const providers = await readProviders(config);
    const isOff = apiKey === undefined && baseUrl === undefined && providers.size === 0;
    if (isOff) log.warn('semantic recall is off: EMBEDDING_BASE_URL, OPENAI_API_KEY and OPENAI_BASE_URL are not set');
    const models = createModels({ apiKey: isOff ? 'none' : apiKey, baseUrl, providers });
    const embedder = models.createEmbedder(config.EMBEDDING_MODEL);
    const dependencies = { store, embedder: { ...embedder, id: nameSpace(config, providers) } };
    return {
      processors: [defineSemanticRecall(dependencies)],
      api: { 'threads-search': searchThreads(dependencies) },
      forget: (request) => forgetPoints(store, request),
    };
  },
});

/** Deletes the vectors of a thread, of messages or of a resource. */
async function forgetPoints(store: VectorStore, request: ForgetRequest): Promise<ForgottenSaves> {
  const { tenant } = request;
  if (request.what === 'resource') {
    const runIds = request.runs.map(({ runId }) => runId);
    return store.eraseOwner({ tenant, key: buildResourceOwner(request.resourceId) }, runIds);
  }
  const place = { tenant, threadId: request.threadId, key: chooseMemoryOwner(request) };
  if (request.what === 'thread') return { deleted: await store.deleteThread(place) };
  const messages = request.messages.map(({ id, text }) => ({ messageId: id, text: chooseTextToEmbed(text) }));
  return { deleted: await store.deleteMessages(place, messages) };
}

/**
 * Another server can produce other vectors under the same model name (dev-model does), so the space's name includes the
 * server's host. The port of EMBEDDING_BASE_URL separates that server from dev-model, which has another port at each start.
 */
function nameSpace(config: RecallConfig, providers: Providers): Embedder['id'] {
  const { EMBEDDING_MODEL, EMBEDDING_BASE_URL } = config;
  const { kind, baseUrl = OPENAI_BASE_URL } = providers.get(EMBEDDING_MODEL.split('/', 1)[0] ?? '') ?? {
    kind: 'openai',
  };
  if (kind !== 'openai' && kind !== 'openai-compatible') return `${EMBEDDING_MODEL}@${kind}`;
  const host = EMBEDDING_BASE_URL === undefined ? new URL(baseUrl).hostname : new URL(EMBEDDING_BASE_URL).host;
  return `${EMBEDDING_MODEL}@${host}`;
}

function openStore({ config: { store, qdrantKey: apiKey }, log }: ServiceContext<RecallConfig>): VectorStore {
  if (store.kind === 'shared') return createQdrantVectorStore(createQdrant({ url: store.url, apiKey }));
  log.info({ path: store.path }, 'vectors are stored in the embedded store, which serves this machine only');
  const onFallback = (reason: string) =>
    log.warn({ reason }, 'sqlite-vec cannot be loaded: searches compare all vectors of a resource in JavaScript');
  return openSqliteVectorStore({ path: store.path, onFallback });
}
