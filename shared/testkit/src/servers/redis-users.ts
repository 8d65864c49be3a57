// The users of Redis in tests: those of the services, each restricted to its own keys.
import { REDIS_USERS, describeRedisUser, writeRedisUsers } from '@millrace/identity';

const PASSWORD = 'password-of-tests';
/** Lines of redis.conf. The default user, which has all permissions, remains. */
export const USERS_CONFIG = REDIS_USERS.map((user) => describeRedisUser(user, PASSWORD)).join('\n');
/** As in production: no connection without credentials. */
export const USERS_ONLY_CONFIG = writeRedisUsers(Object.fromEntries(REDIS_USERS.map(({ name }) => [name, PASSWORD])));

/** Returns the address with the credentials of a service's own user. */
export function addRedisUser(url: string, username: string): string {
  return Object.assign(new URL(url), { username, password: PASSWORD }).href;
}
