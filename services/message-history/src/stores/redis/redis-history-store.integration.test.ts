import { useRedis } from '@millrace/testkit';
import { describeHistoryStore } from '../../store/conformance/history-store.ts';
import { connectRedis } from './redis-connection.ts';
import { createRedisHistoryStore } from './redis-history-store.ts';

const redis = useRedis();

describeHistoryStore('Redis', async () => createRedisHistoryStore(await connectRedis({ url: redis.url })));
