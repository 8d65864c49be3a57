// Follows a key-value bucket: everything that is in it, then every change. What does not fit its schema is logged and left out.
import { Kvm } from '@nats-io/kv';
import type { z } from 'zod';
import type { Entry } from './key-value.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import { decode } from './wire.ts';
import { within } from './within.ts';

export type BucketListener<T> = { put: (key: string, entry: Entry<T>) => void; removed: (key: string) => void };

/** How long what is in the bucket may take to arrive; it comes all the same, later. */
const FIRST_READ_MS = 5_000;

/** Resolves when what is in the bucket has been told, with what stops it. One for each process: never one for each run or client. */
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
      if (!decoded) listener.removed(key);
      else if ('ok' in decoded) listener.put(key, { value: decoded.ok, revision });
      else bus.log.warn({ key, error: decoded.error.message }, 'a stored entry is left out');
      if (isUpdate || delta === 0) firstRead.resolve();
    }
  };
  void follow().catch((error: unknown) =>
    bus.log.error({ bucket, error: String(error) }, 'a bucket is no longer watched'),
  );
  await within(firstRead.promise, FIRST_READ_MS);
  return () => watch.stop();
}
