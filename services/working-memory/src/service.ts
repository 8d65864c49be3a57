// What the service working-memory is: the processor of that name, and the public verb over what it keeps.
import { createModels } from '@millrace/models';
import { processorService } from '@millrace/processor';
import type { ServiceContext } from '@millrace/service';
import { connectRedis } from '@millrace/stores';
import { configSchema, type Config } from './config.ts';
import { memoryGet } from './api/memory-api.ts';
import { STORE, type WorkingMemoryStore } from './store/memory-store.ts';
import { createRedisMemoryStore } from './stores/redis/redis-memory-store.ts';
import { openSqliteMemoryStore } from './stores/sqlite/sqlite-memory-store.ts';
import { workingMemory } from './processor/working-memory.ts';

export const workingMemoryService = processorService({
  name: 'working-memory',
  version: '0.1.0',
  description: 'What is known about a resource: shown before a run, brought up to date after it.',
  config: configSchema,
  async open(context) {
    const { config, log, resources } = context;
    const store = await openStore(context);
    resources.add('store', () => store.close());

    const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = config;
    if (apiKey === undefined && baseUrl === undefined) {
      log.warn('without OPENAI_API_KEY or OPENAI_BASE_URL nothing is extracted: memories are only shown');
    }
    const models = createModels({ apiKey: apiKey ?? 'none', baseUrl });
    return {
      processors: [workingMemory({ store, models, defaultModel: config.MODEL })],
      api: { 'memory-get': memoryGet(store) },
    };
  },
});

async function openStore({ config: { store }, log }: ServiceContext<Config>): Promise<WorkingMemoryStore> {
  if (store.kind === 'sqlite') {
    log.info({ path: store.path }, 'memories are kept in the embedded store, which serves this machine only');
    return openSqliteMemoryStore(store);
  }
  return createRedisMemoryStore(await connectRedis({ url: store.url, service: 'working-memory', store: STORE, log }));
}
