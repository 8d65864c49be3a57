// The users of the NATS servers of tests. The services of a stack connect with their own keys, and so with the
// permissions of production; a connection without credentials is the test itself, which may do everything.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSubjects } from '@millrace/contracts';
import { openKeyFolder } from '@millrace/identity';

export type BusUsers = { keys: string; config: string };

/** @returns the folder of the keys, which the caller removes, and the configuration of NATS */
export async function createBusUsers(): Promise<BusUsers> {
  return readBusUsers(await mkdtemp(join(tmpdir(), 'millrace-keys-')));
}

/** @param rotate a role that gets a new key in the folder */
export async function readBusUsers(keys: string, rotate?: string): Promise<BusUsers> {
  const { usersFile } = await openKeyFolder(keys, createSubjects(), { rotate });
  const users = await readFile(usersFile, 'utf8');
  const withTest = users
    .replace('users = [', 'users = [\n    { user: test, password: test }')
    .replace('auth_users = [', 'auth_users = [\n      test');
  return { keys, config: `${withTest}\nno_auth_user: test\n` };
}
