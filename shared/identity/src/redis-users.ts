// Writes the users of Redis as an ACL file: each service that stores data in Redis has a user with the patterns of its
// own keys. The file holds hashes of passwords, no password.
import { createHash } from 'node:crypto';

export type RedisUser = { name: string; keys: readonly string[] };

/**
 * Every key begins with a tenant and the name of its kind, `<tenant>:history:…`. Tenants and the encoded names of callers
 * contain no colon, so that a pattern matches the keys of its kind only.
 */
export const REDIS_USERS: readonly RedisUser[] = [
  { name: 'guardrails', keys: ['*:cost:*', '*:response-cache:*'] },
  { name: 'message-history', keys: ['*:history:*'] },
  { name: 'working-memory', keys: ['*:working-memory:*'] },
  // No tenant is empty, so no other service has such keys.
  { name: 'gateway', keys: [':gateway:*'] },
];

/** Commands on single keys, and scripts, in which Redis checks the same rules. No command lists keys or changes the server. */
const COMMANDS =
  '@hash @sortedset @set @string @transaction ' +
  'del unlink exists type expire pexpire expireat pexpireat persist ttl pttl ' +
  'eval evalsha ping info select client|setname';

/**
 * No connection is the default user: it is off. It needs all permissions, because redis-server replays the append-only file as
 * this user, and drops the effects of scripts that the user may not have. `health` has any password.
 */
const COMMON_USERS = [
  'user default off resetpass ~* &* +@all',
  'user health on nopass resetkeys resetchannels -@all +ping +info',
];

/** @param passwords by user; a user without one is left out */
export function writeRedisUsers(passwords: Readonly<Record<string, string>>): string {
  const users = REDIS_USERS.flatMap((user) => {
    const password = passwords[user.name];
    return password === undefined ? [] : [describeRedisUser(user, password)];
  });
  return `${[...COMMON_USERS, ...users].join('\n')}\n`;
}

/** Returns the line of a user, as redis.conf and an ACL file contain it. */
export function describeRedisUser({ name, keys }: RedisUser, password: string): string {
  const hash = createHash('sha256').update(password).digest('hex');
  const patterns = keys.map((key) => `~${key}`).join(' ');
  const commands = COMMANDS.split(' ')
    .map((command) => `+${command}`)
    .join(' ');
  return `user ${name} on #${hash} resetkeys ${patterns} resetchannels -@all ${commands} -@dangerous +info`;
}
