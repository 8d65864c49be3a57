// Finds the key of a connection to the stack of a checkout: `npm start` creates a key for each role, and programs of the
// same checkout use them without a setting.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hideAddressParts } from '@millrace/contracts';
import type { ConnectionSettings } from './connection-settings.ts';
import type { BusAddress } from './resolve-address.ts';

/** File with the seed of a role in a folder of keys. */
export const locateSeedFile = (folder: string, role: string): string => join(folder, role, 'user.nk');

/**
 * Adds the key of the first of these roles that has one, if the stack of the address has keys. Settings and addresses
 * that name an identity stay as they are.
 */
export function withStackKey(
  settings: ConnectionSettings,
  { url, keys }: BusAddress,
  roles: readonly string[],
): ConnectionSettings {
  const { user, token, nkeySeed, nkeyFile, credsFile } = settings;
  const hasIdentity = [user, token, nkeySeed, nkeyFile, credsFile].some((value) => value !== undefined);
  if (keys === undefined || hasIdentity || hideAddressParts(url) !== url) return settings;
  const own = roles.map((role) => locateSeedFile(keys, role)).find((file) => existsSync(file));
  return own === undefined ? settings : { ...settings, nkeyFile: own };
}
