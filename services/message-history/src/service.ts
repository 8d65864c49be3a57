// What the service message-history is: the processor of that name, and the public verbs over the threads that it stores.
import { serveApi, type Endpoint } from '@millrace/bus';
import type { ApiVerb } from '@millrace/contracts';
import { serveProcessors } from '@millrace/processor';
import type { ServiceContext, ServiceDefinition } from '@millrace/service';
import { configSchema, type Config } from './config.ts';
import { createHistoryApi } from './history-api.ts';
import type { HistoryStore } from './history-store.ts';
import { messageHistory } from './message-history.ts';
import { connectRedis } from './redis-connection.ts';
import { createRedisHistoryStore } from './redis-history-store.ts';
import { openSqliteHistoryStore } from './sqlite-history-store.ts';

const VERSION = '0.1.0';

export const messageHistoryService = {
  name: 'message-history',
  version: VERSION,
  config: configSchema,
  start: async (context: ServiceContext<Config>) => {
    const { bus, config, resources } = context;
    const store = await openStore(context);
    resources.add('store', () => store.close());

    const api = createHistoryApi(store);
    const verbs = [
      endpoint('threads-list', serveApi(bus, 'threads-list', api['threads-list'])),
      endpoint('threads-get', serveApi(bus, 'threads-get', api['threads-get'])),
      endpoint('messages-list', serveApi(bus, 'messages-list', api['messages-list'])),
    ];
    resources.add('api', async (remainingMs) => {
      await Promise.all(verbs.map(({ serving }) => serving.drain(remainingMs())));
    });
    serveProcessors({
      bus,
      resources,
      version: VERSION,
      description: 'Threads and their messages: recalled before a run, stored after it.',
      definitions: [messageHistory(store)],
      only: config.PROCESSORS,
      drainGraceMs: config.DRAIN_GRACE_MS,
      endpoints: verbs,
    });
  },
} satisfies ServiceDefinition<typeof configSchema>;

async function openStore({ config: { store }, log }: ServiceContext<Config>): Promise<HistoryStore> {
  if (store.kind === 'sqlite') {
    log.info({ path: store.path }, 'messages are kept in the embedded store, which serves this machine only');
    return openSqliteHistoryStore(store);
  }
  const onChange = (state: 'lost' | 'back') =>
    state === 'lost' ? log.warn('the connection to Redis is lost') : log.info('the connection to Redis is back');
  return createRedisHistoryStore(await connectRedis({ url: store.url, onChange }));
}

function endpoint(verb: ApiVerb, serving: Endpoint['serving']): Endpoint {
  return { name: `api-${verb}`, queue: `api-${verb}`, serving, metadata: { kind: 'api' } };
}
