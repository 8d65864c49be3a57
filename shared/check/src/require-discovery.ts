import type { Bus } from '@millrace/bus';
import { MillraceError } from '@millrace/contracts';

/**
 * Call it after a request for all services: the server reports a refused request only by then.
 * @throws permission-denied if the user of the connection may not find services
 */
export function requireDiscovery({ refusals }: Pick<Bus, 'refusals'>): void {
  if (!refusals.has('publish', '$SRV.INFO')) return;
  throw new MillraceError('permission-denied', 'The NATS user has no permission to find services.', {
    path: '$SRV.INFO',
    remedy:
      'Connect with the key of the role checker: NATS_NKEY_FILE=<folder of keys>/checker/user.nk (.millrace/keys by default).',
  });
}
