// Defines the roles of the bus, their permissions, and the keys of their users.
export { buildInboxPrefix, readConnectionSettings, readUserKey, locateSeedFile } from '@millrace/bus';
export { createApiKey, hashSecret, isApiKey, isSecret, parseApiKey, spellApiKey, type ApiKey } from './api-key.ts';
export { locateCalloutKeyFile, parseCalloutKey, type CalloutKeys } from './callout-keys.ts';
export { exchangeCredential, type BusToken } from './exchange-credential.ts';
export { createVerifier, type Verifier } from './verifier.ts';
export {
  locateFirstKeyFile,
  openKeyFolder,
  locateQdrantKeyFile,
  locateRedisPasswordFile,
  locateUsersFile,
  type KeyFolder,
} from './key-folder.ts';
export { ANSWER_WITHIN, describePermissions, writeNatsUsers } from './nats-config.ts';
export { probeUsers, type ProbedUsers } from './probe-users.ts';
export { REDIS_USERS, describeRedisUser, writeRedisUsers, type RedisUser } from './redis-users.ts';
export { writeRoleTable } from './role-table.ts';
export {
  CALLOUT_SUBJECT,
  ROLES,
  SHIPPED_SERVICES,
  SYSTEM_SUBJECTS,
  permitCaller,
  type EndCaller,
  type Permissions,
  type BusRole,
} from './permissions.ts';
