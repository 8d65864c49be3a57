// Lua scripts by their digest: the text travels once, and again to a server that has forgotten it or never had it (a restart, a
// failover, a node of a cluster).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

export type RedisScript = { lua: string; digest: string };

/** @param url of a .lua file */
export function readScript(url: URL): RedisScript {
  const lua = readFileSync(url, 'utf8');
  return { lua, digest: createHash('sha1').update(lua).digest('hex') };
}

/** @param keys all of one slot */
export async function runScript(
  redis: Redis,
  { lua, digest }: RedisScript,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(digest, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return redis.eval(lua, keys.length, ...keys, ...args);
  }
}
