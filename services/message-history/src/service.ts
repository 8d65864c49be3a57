// Defines the service message-history: its processor, and the public verbs on the threads that it stores.
import { createModels, providerEnvironmentSchema, readProviders } from '@millrace/models';
import { askForget } from '@millrace/bus';
import { modelIdSchema, type ForgetRequest } from '@millrace/contracts';
import { processorService } from '@millrace/processor';
import type { ServiceContext } from '@millrace/service';
import { connectRedis, buildResourceOwner, redisAccessSchema, defineSharedStoreSchema } from '@millrace/stores';
import { createHistoryApi } from './api/history-api.ts';
import { STORE } from './store/history-errors.ts';
import type { ErasedMessages, HistoryStore } from './store/history-store.ts';
import { defineMessageHistory } from './processor/message-history.ts';
import { createThreadTitles } from './processor/thread-titles.ts';
import { createRedisHistoryStore } from './stores/redis/redis-history-store.ts';
import { openSqliteHistoryStore } from './stores/sqlite/sqlite-history-store.ts';
import { z } from 'zod';

const forgetSchema = z.object({
  FORGET_SERVICES: z
    .string()
    .default('semantic-recall,working-memory')
    .transform((list) => list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])))
    .describe('services that store data derived from messages, comma-separated: a deletion deletes there first'),
});
const modelsSchema = z.object({
  MODEL: modelIdSchema.default('openai/gpt-5-mini').describe('Model of titles if `generateTitle` names none.'),
});
const storeSchema = z.intersection(defineSharedStoreSchema('REDIS_URL', 'message-history'), redisAccessSchema);
const configSchema = z.intersection(
  z.intersection(z.intersection(storeSchema, forgetSchema), modelsSchema),
  providerEnvironmentSchema,
);
type HistoryConfig = z.output<typeof configSchema>;

export const messageHistoryService = processorService({
  name: 'message-history',
  version: '0.1.0',
  description: 'Recalls messages of a thread before a run and stores them after it.',
  config: configSchema,
  async open(context) {
    const store = await openStore(context);
    context.resources.add('store', () => store.close());
    const { bus, config, log } = context;
    const models = createModels({ providers: await readProviders(config) });
    const titles = createThreadTitles({ store, models, defaultModel: config.MODEL, log });
    context.resources.add('titles', () => titles.close());
    const forget = async (request: ForgetRequest) =>
      void (await Promise.all(config.FORGET_SERVICES.map((service) => askForget(bus, service, request))));
    return {
      processors: [defineMessageHistory({ store, forget, titles })],
      api: createHistoryApi(store, forget),
      forget: (request) => eraseHistory(store, request),
    };
  },
});

/** Threads and messages are deleted by the verbs of this service. */
async function eraseHistory(store: HistoryStore, request: ForgetRequest): Promise<ErasedMessages> {
  if (request.what !== 'resource') return { deleted: 0, left: 0 };
  const { tenant, resourceId, runs } = request;
  const named = runs.flatMap(({ runId, threadId }) => (threadId === undefined ? [] : [{ runId, threadId }]));
  return store.eraseOwner({ tenant, owner: buildResourceOwner(resourceId) }, named);
}

async function openStore({
  config: { store, redisAccess: access },
  log,
}: ServiceContext<HistoryConfig>): Promise<HistoryStore> {
  if (store.kind === 'sqlite') {
    log.info({ path: store.path }, 'messages are stored in the embedded store, which serves this machine only');
    return openSqliteHistoryStore(store);
  }
  const { url } = store;
  return createRedisHistoryStore(await connectRedis({ url, access, service: 'message-history', store: STORE, log }));
}
