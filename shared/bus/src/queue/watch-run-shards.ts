// Reads the counts by which shards of the command queue are chosen from the stream, so that all orchestrators choose by the same stored data.
import { toLoggedError } from '@millrace/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';
import { waitAtMost } from '../core/within.ts';

const READ_EVERY_MS = 1_000;
/** A read that takes long is repeated after this many times its duration. */
const PAUSE_FACTOR = 20;

/** Reads the counts until it is stopped. A read that fails leaves the former counts, which only make a shard less well chosen. */
export function watchRunShards({ bus, jsm, runShards }: JetStreamAccess): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const read = async () => {
    const { state } = await jsm.streams.info(bus.names.runs, { subjects_filter: bus.subjects.allRuns });
    runShards.read(state.subjects ?? {});
  };
  const watch = async () => {
    while (!signal.aborted) {
      const startedAt = performance.now();
      if (bus.hasConnection()) {
        await read().catch((error: unknown) =>
          bus.log.debug(toLoggedError(error), 'counting the shards of commands failed'),
        );
      }
      const pauseMs = Math.max(READ_EVERY_MS, (performance.now() - startedAt) * PAUSE_FACTOR);
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await waitAtMost(watching, READ_EVERY_MS);
    },
  };
}
