// Implements the verb `erase`: stores the erasure, which any orchestrator makes, and returns its progress.
import { toShownErasure, type ApiAnswer, type ApiRequest } from '@millrace/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Erasures } from './erasures.ts';

/** An answer waits for a change of the progress at most this long. */
const WAIT_MS = 1_500;
const POLL_MS = 100;

export function createEraseVerb(erasures: Erasures) {
  return async (
    { resourceId, eraseId }: ApiRequest<'erase'>,
    { tenant }: { tenant: string },
  ): Promise<ApiAnswer<'erase'>> => {
    const first = await erasures.begin({ tenant, resourceId, eraseId });
    let current = first;
    const giveUpAt = performance.now() + WAIT_MS;
    while (current.status === first.status && first.status !== 'done' && performance.now() < giveUpAt) {
      await delay(POLL_MS);
      current = (await erasures.read({ tenant, resourceId })) ?? current;
    }
    return toShownErasure(current);
  };
}
