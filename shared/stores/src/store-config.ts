// Selects the store of a memory: the address of a server that replicas share, or a file of this machine. With replicas
// on several machines, REQUIRE_SHARED_STORE rejects a start without the address.
import { z } from 'zod';

export type StoreConfig = { kind: 'shared'; url: string } | { kind: 'sqlite'; path: string };

const SERVERS = {
  REDIS_URL: { pattern: /^rediss?:\/\//, says: 'must begin with redis:// or rediss://' },
  QDRANT_URL: { pattern: /^https?:\/\//, says: 'must begin with http:// or https://' },
} as const;

/** The part of a service's environment. @param file the embedded store's default name, without its ending */
export function defineSharedStoreSchema(variable: keyof typeof SERVERS, file: string) {
  const { pattern, says } = SERVERS[variable];
  const described = 'absent: the embedded store, which serves one machine';
  const address = z
    .object({ [variable]: z.string().regex(pattern, says).optional().describe(described) })
    .transform((environment) => ({ url: environment[variable] }));
  const embedded = z.object({
    SQLITE_PATH: z.string().default(`.millrace/${file}.db`).describe('database file, created if missing'),
    REQUIRE_SHARED_STORE: z.stringbool().default(false).describe('refuse to start on the embedded store'),
  });
  return z.intersection(address, embedded).transform(({ url, ...rest }, context): { store: StoreConfig } => {
    if (url !== undefined) return { store: { kind: 'shared', url } };
    if (rest.REQUIRE_SHARED_STORE) {
      const message = `REQUIRE_SHARED_STORE asks for a store that machines share, the embedded one serves one: set ${variable}`;
      context.addIssue({ code: 'custom', path: [variable], message });
    }
    return { store: { kind: 'sqlite', path: rest.SQLITE_PATH } };
  });
}
