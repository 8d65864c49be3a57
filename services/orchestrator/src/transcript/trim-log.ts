// Keeps room in the chunk log. A full log refuses new chunks, because it must not discard those of a run that has not ended; so orchestrators
// remove the chunks of ended runs before, the oldest first. The results of these runs remain, and a late reader gets the error of a log that has forgotten them.
import { isFinal, toLoggedError, parseLogSubject } from '@millrace/contracts';
import { waitAtMost, type JetStreamAccess } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { locateHead } from '../head/run-head.ts';

const CHECK_EVERY_MS = 3_000;
/** A stream is trimmed when it holds more than this part of its `max_bytes`, and until it holds less than the other. */
const TRIM_ABOVE = 0.75;
const TRIM_BELOW = 0.6;
/** Messages that one check looks at in each stream, at most. */
const MAX_STEPS = 500;
/** The size is read again after this number of removed runs. */
const RUNS_PER_READ = 20;

/** Trims until it is stopped. Every orchestrator may do so: a run's chunks are removed once. */
export function startLogTrimmer(access: JetStreamAccess): { stop(): Promise<void> } {
  const { bus } = access;
  const stopping = new AbortController();
  const { signal } = stopping;
  const streams = Array.from({ length: access.logStreams }, (_, at) => bus.names.chunks(at));
  const cursors = new Map<string, number>();
  const watch = async () => {
    while (!signal.aborted) {
      for (const stream of bus.hasConnection() ? streams : []) {
        const from = cursors.get(stream) ?? 0;
        const cursor = await trimLog(access, stream, from).catch((error: unknown) => {
          bus.log.warn({ stream, ...toLoggedError(error) }, 'chunk log could not be trimmed');
          return from;
        });
        cursors.set(stream, cursor);
      }
      await delay(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await waitAtMost(watching, CHECK_EVERY_MS);
    },
  };
}

/** @param from the sequence to begin at. Returns the one to continue at: runs that have not ended are not looked at again and again. */
export async function trimLog(access: JetStreamAccess, stream: string, from: number): Promise<number> {
  const { bus, jsm } = access;
  const { config, state } = await jsm.streams.info(stream);
  const isAbove = (bytes: number, part: number) => config.max_bytes > 0 && bytes > part * config.max_bytes;
  if (!isAbove(state.bytes, TRIM_ABOVE)) return 0;
  const kept = new Set<string>();
  let removed = 0;
  let sequence = Math.max(from, state.first_seq);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const next = { seq: sequence, next_by_subj: bus.subjects.logs };
    const message = await jsm.direct.getMessage(stream, next).catch(() => null);
    if (!message) return 0;
    sequence = message.seq + 1;
    const address = parseLogSubject(bus.subjects.prefix, message.subject);
    const filter = address && bus.subjects.runLog(address.tenant, address.run);
    if (!address || filter === undefined || kept.has(filter)) continue;
    if (!(await isOver(access, address))) {
      kept.add(filter);
      continue;
    }
    // The head was read after the size of the stream: a later run of that id has later chunks.
    await jsm.streams.purge(stream, { filter, seq: state.last_seq + 1 });
    removed += 1;
    if (removed % RUNS_PER_READ === 0 && !isAbove((await jsm.streams.info(stream)).state.bytes, TRIM_BELOW)) break;
  }
  return sequence;
}

/** A run without a head is forgotten. If its head cannot be read, another version may continue it. */
async function isOver(access: JetStreamAccess, { tenant, run }: { tenant: string; run: string }): Promise<boolean> {
  const there = await locateHead(access, tenant, run);
  if ('error' in there) return false;
  return !('value' in there) || isFinal(there.value.status);
}
