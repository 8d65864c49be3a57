// What the service semantic-recall is: the processor of that name, on Qdrant or on the embedded store.
import { createModels, OPENAI_BASE_URL, type Embedder } from '@millrace/models';
import { processorService } from '@millrace/processor';
import type { ServiceContext } from '@millrace/service';
import { configSchema, type Config } from './config.ts';
import { createQdrant } from './stores/qdrant/qdrant-client.ts';
import { createQdrantVectorStore } from './stores/qdrant/qdrant-vector-store.ts';
import { semanticRecall } from './processor/semantic-recall.ts';
import { openSqliteVectorStore } from './stores/sqlite/sqlite-vector-store.ts';
import type { VectorStore } from './store/vector-store.ts';

export const semanticRecallService = processorService({
  name: 'semantic-recall',
  version: '0.1.0',
  description: 'Recalls earlier messages by meaning, and indexes those of a run.',
  config: configSchema,
  open(context) {
    const { config, log, resources } = context;
    const store = openStore(context);
    resources.add('store', () => store.close());
    if (config.OPENAI_API_KEY === undefined && config.OPENAI_BASE_URL === undefined) {
      log.warn('without OPENAI_API_KEY or OPENAI_BASE_URL nothing is recalled and nothing is indexed');
    }
    return { processors: [semanticRecall({ store, embedder: openEmbedder(config) })] };
  },
});

/**
 * Another server may make other vectors under the same model name (dev-model does), so the server's host is part of the name
 * that tells spaces apart. Not its port: that may be another one after each start.
 */
function openEmbedder({
  OPENAI_API_KEY,
  OPENAI_BASE_URL: baseUrl = OPENAI_BASE_URL,
  EMBEDDING_MODEL,
}: Config): Embedder {
  const embedder = createModels({ apiKey: OPENAI_API_KEY ?? 'none', baseUrl }).embedder(EMBEDDING_MODEL);
  return { ...embedder, id: `${EMBEDDING_MODEL}@${new URL(baseUrl).hostname}` };
}

function openStore({ config: { store, QDRANT_API_KEY: apiKey }, log }: ServiceContext<Config>): VectorStore {
  if (store.kind === 'shared') return createQdrantVectorStore(createQdrant({ url: store.url, apiKey }));
  log.info({ path: store.path }, 'vectors are kept in the embedded store, which serves this machine only');
  const onFallback = (reason: string) =>
    log.warn({ reason }, 'sqlite-vec cannot be loaded here: searches compare all vectors of a resource in JavaScript');
  return openSqliteVectorStore({ path: store.path, onFallback });
}
