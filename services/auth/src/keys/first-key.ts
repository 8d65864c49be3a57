// Registers the first key of an installation: `millrace keys` has written it to a file, so that an operator has a key
// before there is anything that could create one. A revoked first key stays revoked.
import { MillraceError, DEFAULT_TENANT, SCOPES } from '@millrace/contracts';
import { readConnectionFile } from '@millrace/bus';
import { parseApiKey } from '@millrace/identity';
import { createKeyRecord } from './key-rules.ts';
import type { KeyStore } from './key-store.ts';

const VARIABLE = 'AUTH_FIRST_KEY_FILE';

/** `isRevoked`: an operator has revoked it, or it has expired, and it stays refused. */
type FirstKey = { keyId: string; isRevoked: boolean };

/** @throws config-invalid for a file that holds no key */
export async function addFirstKey(store: Pick<KeyStore, 'add' | 'find'>, file: string): Promise<FirstKey> {
  const key = parseApiKey(readConnectionFile(file, VARIABLE).trim());
  if (!key) {
    throw new MillraceError('config-invalid', `The file ${file} contains no API key.`, {
      path: VARIABLE,
      remedy: 'Remove the file, and create it again: millrace keys.',
    });
  }
  const record = createKeyRecord(DEFAULT_TENANT, { scopes: [...SCOPES], label: 'first key' }, key, Date.now());
  const isAdded = await store.add(record);
  return { keyId: key.id, isRevoked: !isAdded && (await store.find(key.id)) === undefined };
}
