// Derives the id of a run from an Idempotency-Key, so that a repeated request is the same run on every gateway.
import { createHash } from 'node:crypto';
import { MillraceError } from '@millrace/contracts';
import type { Access } from '../access/access.ts';

const MAX_KEY_CHARS = 255;
const HASH_CHARS = 40;

/**
 * Returns undefined without a key. Keys of different callers are different. A key with another body is refused by the
 * orchestrator as run-exists.
 * @throws message-invalid
 */
export function deriveRunId({ account, identity, subject }: Access, key: string | null): string | undefined {
  if (key === null) return undefined;
  if (key === '' || key.length > MAX_KEY_CHARS)
    throw new MillraceError('message-invalid', `Idempotency-Key has to have 1 to ${MAX_KEY_CHARS} characters.`, {
      path: 'Idempotency-Key',
      remedy: 'Send a UUID for each new request, and the same one again when the request is repeated.',
    });
  const scope = JSON.stringify([identity.tenant, account, subject ?? null, key]);
  return `idem-${createHash('sha256').update(scope).digest('hex').slice(0, HASH_CHARS)}`;
}
