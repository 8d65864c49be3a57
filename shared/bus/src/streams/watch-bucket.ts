// Watches a key-value bucket: passes all entries, then every change. Invalid entries are logged and skipped.
import { Kvm } from '@nats-io/kv';
import type { z } from 'zod';
import type { BucketEntry } from './key-value.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import { decode } from '../core/wire.ts';
import { waitAtMost } from '../core/within.ts';

export type BucketListener<T> = {
  put: (key: string, entry: BucketEntry<T>) => void;
  onRemoved: (key: string, revision: number) => void;
};

/** Maximum time to wait for the existing entries; later ones are still passed. */
const FIRST_READ_MS = 5_000;

/**
 * Resolves with its stop function after the existing entries were passed. Use one for each process, never one for each
 * run or client.
 */
export async function watchBucket<T>(
  { bus }: JetStreamAccess,
  bucket: string,
  schema: z.ZodType<T>,
  listener: BucketListener<T>,
): Promise<() => void> {
  const kv = await new Kvm(bus.nc).open(bucket);
  const watch = await kv.watch({ key: '>' });
  const firstRead = Promise.withResolvers<void>();
  if ((await kv.status()).values === 0) firstRead.resolve();
  const follow = async () => {
    for await (const { key, operation, value, revision, delta, isUpdate } of watch) {
      const decoded = operation === 'PUT' ? decode(value, schema, key) : undefined;
      if (!decoded) listener.onRemoved(key, revision);
      else if ('ok' in decoded) listener.put(key, { value: decoded.ok, revision });
      else bus.log.warn({ key, error: decoded.error.message }, 'invalid stored entry skipped');
      if (isUpdate || delta === 0) firstRead.resolve();
    }
  };
  void follow().catch((error: unknown) => bus.log.error({ bucket, error: String(error) }, 'watching the bucket ended'));
  await waitAtMost(firstRead.promise, FIRST_READ_MS);
  return () => watch.stop();
}
