// Fills a thread in Redis (REDIS_URL) with COUNT one-line messages for the bench. THREAD and RESOURCE name the thread
// and its owner.
import { buildTextMessage } from '@millrace/contracts';
import { connectRedis, chooseMemoryOwner } from '@millrace/stores';
import { STORE } from '../src/store/history-errors.ts';
import { createRedisHistoryStore } from '../src/stores/redis/redis-history-store.ts';

const { REDIS_URL = '', THREAD = '', RESOURCE = '', COUNT = '0' } = process.env;
const MAX_BLOCK = 500;

const ignoreLine = () => undefined;
const log = { debug: ignoreLine, info: ignoreLine, warn: ignoreLine, error: ignoreLine };
const store = createRedisHistoryStore(await connectRedis({ url: REDIS_URL, service: 'bench', store: STORE, log }));
const owner = chooseMemoryOwner({ threadId: THREAD, resourceId: RESOURCE });
for (let from = 0; from < Number(COUNT); from += MAX_BLOCK) {
  const size = Math.min(MAX_BLOCK, Number(COUNT) - from);
  const messages = Array.from({ length: size }, (_, at) =>
    buildTextMessage(
      `m-${from + at}`,
      at % 2 === 0 ? 'user' : 'assistant',
      'A line of ordinary length, as people write them.',
    ),
  );
  await store.saveBlock({
    tenant: 'default',
    threadId: THREAD,
    owner,
    runId: `fill-${THREAD}-${from}`,
    epoch: 1,
    messages,
  });
}
console.log(JSON.stringify({ messages: Number(COUNT) }));
await store.close();
