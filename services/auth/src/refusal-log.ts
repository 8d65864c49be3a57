// Logs refused credentials, at most some each second: a flood of wrong ones must not fill the disk. A line never
// contains a secret.
import type { RefusedCredential } from './verify-credential.ts';

const LINES_PER_SECOND = 10;
const SECOND_MS = 1_000;

type InfoLog = { info(fields: object, message: string): void };

/** @param now ms of a clock that never jumps */
export function createRefusalLog(log: InfoLog, now: () => number = () => performance.now()) {
  let second = 0;
  let count = 0;
  return ({ refused, keyId }: RefusedCredential): void => {
    const current = Math.floor(now() / SECOND_MS);
    if (current !== second) {
      if (count > LINES_PER_SECOND) log.info({ count: count - LINES_PER_SECOND }, 'more credentials were refused');
      [second, count] = [current, 0];
    }
    count += 1;
    if (count <= LINES_PER_SECOND) {
      log.info({ reason: refused, ...(keyId !== undefined && { keyId }) }, 'a credential is refused');
    }
  };
}
