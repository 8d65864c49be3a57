// Keeps the keys of all roles in a folder: `<role>/user.nk` with a seed, and `nats/users.conf` with the public keys and
// permissions; `<role>/redis.password` for services with data in Redis, and `redis/users.acl` with the hashes;
// `semantic-recall/qdrant.key` and `qdrant/config.yaml` with the API key of Qdrant. `auth` has the keys of the auth callout too, and
// `first.key`, the first API key. A folder for each role can be mounted alone.
// Folders of secrets have mode 0700, secrets 0600.
import { join } from 'node:path';
import { createUserKey, readUserKey, locateSeedFile } from '@millrace/bus';
import { MillraceError, type Subjects } from '@millrace/contracts';
import { createApiKey, spellApiKey } from './api-key.ts';
import { openCalloutKeys } from './callout-keys.ts';
import { writeNatsUsers } from './nats-config.ts';
import { REDIS_USERS, writeRedisUsers } from './redis-users.ts';
import { ROLES } from './permissions.ts';
import {
  PUBLIC,
  SECRET,
  readIfThere,
  readSecret,
  writeSecret,
  writeWhole,
  type Mode,
  openStoreSecret,
} from './secret-file.ts';

/** File with the API key that auth registers when it starts: an operator with all scopes. */
export const locateFirstKeyFile = (folder: string): string => join(folder, AUTH, 'first.key');
export const locateUsersFile = (folder: string): string => join(folder, 'nats', 'users.conf');
export const locateRedisUsersFile = (folder: string): string => join(folder, 'redis', 'users.acl');
export const locateRedisPasswordFile = (folder: string, role: string): string => join(folder, role, 'redis.password');
/** Qdrant has one key and no users: the key belongs to the role of its one client. */
export const locateQdrantKeyFile = (folder: string): string => join(folder, QDRANT_USER, 'qdrant.key');
export const locateQdrantConfigFile = (folder: string): string => join(folder, 'qdrant', 'config.yaml');
const AUTH = 'auth';
const QDRANT_USER = 'semantic-recall';

export type KeyFolder = {
  /** Roles with a seed that this call has created. */
  created: string[];
  /** Public key by role. */
  keys: Record<string, string>;
  usersFile: string;
  /** Whether NATS has to be restarted: its users or their permissions are others than before. */
  changed: boolean;
  /** The users of Redis; `changed`: whether Redis has to be restarted. */
  redis: { usersFile: string; changed: boolean };
  /** The configuration of Qdrant with its API key; `changed`: whether Qdrant has to be restarted. */
  qdrant: { configFile: string; changed: boolean };
};

type KeyFolderOptions = { rotate?: string | undefined };

/**
 * Creates the secrets that are missing, and writes the users of NATS and Redis. Existing secrets remain.
 * @param rotate a role that gets new secrets; `auth` gets new keys of the callout too
 * @throws config-invalid for an unknown role, a seed that is damaged, or a folder that cannot be read or written
 */
export async function openKeyFolder(
  folder: string,
  subjects: Subjects,
  options: KeyFolderOptions = {},
): Promise<KeyFolder> {
  try {
    return await openSecrets(folder, subjects, options);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new MillraceError('config-invalid', `The folder of keys ${folder} cannot be used: ${error.message}`, {
      path: 'folder',
      remedy: 'Name a folder that this process may write.',
      cause: error,
    });
  }
}

async function openSecrets(folder: string, subjects: Subjects, { rotate }: KeyFolderOptions): Promise<KeyFolder> {
  if (rotate !== undefined && !ROLES.some(({ name }) => name === rotate)) throw createUnknownRoleError(rotate);
  const created: string[] = [];
  const keys: Record<string, string> = {};
  for (const { name } of ROLES) {
    const file = locateSeedFile(folder, name);
    const known = name === rotate ? undefined : await readPublicKey(file);
    if (known === undefined) created.push(name);
    keys[name] = known ?? (await createSeed(file));
  }
  const callout = await openCalloutKeys(folder, rotate === AUTH);
  const firstKey = locateFirstKeyFile(folder);
  if ((await readSecret(firstKey)) === undefined) await writeSecret(firstKey, spellApiKey(createApiKey()));
  const users = locateUsersFile(folder);
  const changed = await writeIfChanged(users, writeNatsUsers(subjects, keys, callout), PUBLIC);
  const [redis, qdrant] = [await openRedisUsers(folder, rotate), await openQdrantKey(folder, rotate)];
  return { created, keys, usersFile: users, changed, redis, qdrant };
}

async function openRedisUsers(folder: string, rotate: string | undefined): Promise<KeyFolder['redis']> {
  const passwords: Record<string, string> = {};
  for (const { name } of REDIS_USERS) {
    const file = locateRedisPasswordFile(folder, name);
    passwords[name] = await openStoreSecret(file, name === rotate, 'password of a user of Redis');
  }
  const users = locateRedisUsersFile(folder);
  return { usersFile: users, changed: await writeIfChanged(users, writeRedisUsers(passwords), PUBLIC) };
}

/** The configuration holds the key, because Qdrant reads no other file. Every JSON document is a YAML document. */
async function openQdrantKey(folder: string, rotate: string | undefined): Promise<KeyFolder['qdrant']> {
  const apiKey = await openStoreSecret(locateQdrantKeyFile(folder), rotate === QDRANT_USER, 'API key of Qdrant');
  const configFile = locateQdrantConfigFile(folder);
  const text = `${JSON.stringify({ service: { api_key: apiKey } })}\n`;
  return { configFile, changed: await writeIfChanged(configFile, text, SECRET) };
}

/** Returns whether the content of the file is another one than before. */
async function writeIfChanged(file: string, text: string, mode: Mode): Promise<boolean> {
  if ((await readIfThere(file)) === text) return false;
  await writeWhole(file, text, mode);
  return true;
}

async function readPublicKey(file: string): Promise<string | undefined> {
  if ((await readSecret(file)) === undefined) return undefined;
  return readUserKey({ nkeyFile: file })?.publicKey;
}

async function createSeed(file: string): Promise<string> {
  const { publicKey, seed } = createUserKey();
  await writeSecret(file, seed);
  return publicKey;
}

function createUnknownRoleError(role: string): MillraceError {
  return new MillraceError('config-invalid', `There is no role "${role}".`, {
    path: 'rotate',
    remedy: `Choose one of ${ROLES.map(({ name }) => name).join(', ')}.`,
  });
}
