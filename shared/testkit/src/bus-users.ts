// The users of the NATS servers of tests. The services of a stack connect with their own keys, and so with the
// permissions of production; a connection without credentials is the test itself, which may do everything.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSubjects } from '@millrace/contracts';
import { openKeyFolder } from '@millrace/identity';

/** @returns the folder of the keys, which the caller removes, and the configuration of NATS */
export async function createBusUsers(): Promise<{ keys: string; config: string }> {
  const keys = await mkdtemp(join(tmpdir(), 'millrace-keys-'));
  const { usersFile } = await openKeyFolder(keys, createSubjects());
  const users = await readFile(usersFile, 'utf8');
  const withTest = users.replace('users = [', 'users = [\n    { user: test, password: test }');
  return { keys, config: `${withTest}\nno_auth_user: test\n` };
}
