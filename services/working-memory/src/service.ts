// Defines the service working-memory: its processor and the public verb on the memories that it stores.
import { createModels, providerEnvironmentSchema, readProviders } from '@millrace/models';
import { processorService } from '@millrace/processor';
import type { ServiceContext } from '@millrace/service';
import { connectRedis, redisAccessSchema, defineSharedStoreSchema } from '@millrace/stores';
import { forgetMemories, createMemoryGet, createMemorySet } from './api/memory-api.ts';
import { STORE, type WorkingMemoryStore } from './store/memory-store.ts';
import { createRedisMemoryStore } from './stores/redis/redis-memory-store.ts';
import { openSqliteMemoryStore } from './stores/sqlite/sqlite-memory-store.ts';
import { defineWorkingMemory } from './processor/working-memory.ts';
import { modelIdSchema } from '@millrace/contracts';
import { z } from 'zod';

const modelsSchema = z.object({
  MODEL: modelIdSchema.default('openai/gpt-5-mini').describe("Extraction model if the agent's options name none."),
});

const storeSchema = z.intersection(defineSharedStoreSchema('REDIS_URL', 'working-memory'), redisAccessSchema);
const configSchema = z.intersection(z.intersection(storeSchema, modelsSchema), providerEnvironmentSchema);
type WorkingMemoryConfig = z.output<typeof configSchema>;

export const workingMemoryService = processorService({
  name: 'working-memory',
  version: '0.1.0',
  description: 'Shows the known facts about a resource before a run and updates them after it.',
  config: configSchema,
  async open(context) {
    const { config, log, resources } = context;
    const store = await openStore(context);
    resources.add('store', () => store.close());

    const providers = await readProviders(config);
    if (providers.size === 0)
      log.warn('extraction is off: the service has no model provider, such as OPENAI_API_KEY; memories are only shown');
    const models = createModels({ providers });
    return {
      processors: [defineWorkingMemory({ store, models, defaultModel: config.MODEL })],
      api: { 'memory-get': createMemoryGet(store), 'memory-set': createMemorySet(store) },
      forget: (request) => forgetMemories(store, request),
    };
  },
});

async function openStore({
  config: { store, redisAccess: access },
  log,
}: ServiceContext<WorkingMemoryConfig>): Promise<WorkingMemoryStore> {
  if (store.kind === 'sqlite') {
    log.info({ path: store.path }, 'memories are stored in the embedded store, which serves this machine only');
    return openSqliteMemoryStore(store);
  }
  const { url } = store;
  return createRedisMemoryStore(await connectRedis({ url, access, service: 'working-memory', store: STORE, log }));
}
