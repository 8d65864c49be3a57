// Follows the key of a connection: each connection attempt reads its file again, so that a rotated key needs no restart.
import { toLoggedError } from '@millrace/contracts';
import type { BusLog } from './bus-log.ts';
import { isExposed } from './secret-file.ts';
import { readUserKey, type KeyOptions, type UserKey } from './user-key.ts';

/**
 * If a file cannot be read later, the connection keeps its earlier key: an error would end the connection.
 * @param takeKey called during a connection attempt, if the file has another key
 * @throws config-invalid if the key cannot be read now
 */
export function followKey(options: KeyOptions, log: BusLog, takeKey: (publicKey: string) => void): UserKey | undefined {
  const { nkeyFile, credsFile } = options;
  let key = readUserKey(options);
  if (!key) return undefined;
  warnIfExposed(nkeyFile ?? credsFile, log);
  const readAgain = (): UserKey | undefined => {
    try {
      return readUserKey(options);
    } catch (error) {
      log.error(toLoggedError(error), 'reading the key of the NATS user failed; the connection keeps the earlier one');
      return undefined;
    }
  };
  const { publicKey } = key;
  return {
    publicKey,
    authenticator: (nonce) => {
      const earlier = key;
      key = readAgain() ?? key;
      if (key !== undefined && key.publicKey !== earlier?.publicKey) {
        warnIfExposed(nkeyFile ?? credsFile, log);
        takeKey(key.publicKey);
      }
      return key?.authenticator(nonce);
    },
  };
}

function warnIfExposed(file: string | undefined, log: BusLog): void {
  if (file === undefined || !isExposed(file)) return;
  const remedy = `Remove the rights of the group and of others: chmod 600 ${file}`;
  log.warn({ file, remedy }, 'other users of this machine have rights on the file with the key');
}
