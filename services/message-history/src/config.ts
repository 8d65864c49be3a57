// The service's part of the environment. Without a REDIS_URL messages are kept in the embedded store: it serves one machine, and
// where replicas run on several, REQUIRE_SHARED_STORE turns the forgotten address into a refused start.
import { z } from 'zod';

const environmentSchema = z.object({
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
    .optional(),
  MEMORY_STORE: z.enum(['redis', 'sqlite']).optional().describe('redis where REDIS_URL is set, else sqlite'),
  SQLITE_PATH: z.string().default('.millrace/message-history.db').describe('a file, made where it is not there'),
  REQUIRE_SHARED_STORE: z.stringbool().default(false),
});

type StoreConfig = { kind: 'redis'; url: string } | { kind: 'sqlite'; path: string };

export const configSchema = environmentSchema.transform((environment, context) => {
  const { REDIS_URL, MEMORY_STORE, SQLITE_PATH, REQUIRE_SHARED_STORE } = environment;
  const redis = MEMORY_STORE !== 'sqlite' && REDIS_URL !== undefined;
  const store: StoreConfig = redis ? { kind: 'redis', url: REDIS_URL } : { kind: 'sqlite', path: SQLITE_PATH };
  if (!redis && (MEMORY_STORE === 'redis' || REQUIRE_SHARED_STORE)) {
    const [path, remedy] =
      MEMORY_STORE === 'sqlite' ? ['MEMORY_STORE', 'take MEMORY_STORE=sqlite away'] : ['REDIS_URL', 'set REDIS_URL'];
    const what = REQUIRE_SHARED_STORE
      ? 'REQUIRE_SHARED_STORE asks for Redis, the embedded store serves one machine'
      : 'MEMORY_STORE=redis needs an address';
    context.addIssue({ code: 'custom', path: [path], message: `${what}: ${remedy}` });
  }
  return { store };
});
export type Config = z.output<typeof configSchema>;
