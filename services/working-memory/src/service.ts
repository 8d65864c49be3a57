// Defines the service working-memory: its processor and the public verb on the memories that it stores.
import { createModels } from '@millrace/models';
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
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.url().optional().describe('Base URL of an OpenAI-compatible server. Default: OpenAI.'),
  MODEL: modelIdSchema.default('openai/gpt-5-mini').describe("Extraction model if the agent's options name none."),
});

const storeSchema = z.intersection(defineSharedStoreSchema('REDIS_URL', 'working-memory'), redisAccessSchema);
const configSchema = z.intersection(storeSchema, modelsSchema);
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

    const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = config;
    if (apiKey === undefined && baseUrl === undefined) {
      log.warn('extraction is off: neither OPENAI_API_KEY nor OPENAI_BASE_URL is set; memories are only shown');
    }
    const models = createModels({ apiKey: apiKey ?? 'none', baseUrl });
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
