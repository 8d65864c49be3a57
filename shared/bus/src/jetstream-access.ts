// What every use of JetStream needs: the connection, the client and the manager.
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { MillraceError, logShard } from '@millrace/contracts';
import type { Bus } from './bus.ts';
import { notGiven } from './jetstream-errors.ts';
import { countLogStreams } from './log-streams.ts';
import { createRunShards, type RunShards } from './run-shards.ts';
import { createServerClock, type ServerClock } from './server-clock.ts';

export type JetStreamAccess = {
  bus: Bus;
  js: JetStreamClient;
  jsm: JetStreamManager;
  /** How many streams hold the chunk log. */
  logStreams: number;
  /** The stream that holds a run's chunks. */
  logStreamOf(tenant: string, run: string): string;
  runShards: RunShards;
  /** The time by which all orchestrators compare deadlines and expiries. */
  clock: ServerClock;
};

export type JetStreamOptions = {
  /** 1 to 16: for the first start; absent: as stored, or 1. */
  logStreams?: number | undefined;
};

/** @throws bus-unreachable when the server has no JetStream for us; stream-mismatch when the chunk log is in another number of streams */
export async function openJetStream(
  bus: Bus,
  { logStreams: configured }: JetStreamOptions = {},
): Promise<JetStreamAccess> {
  try {
    const [js, jsm] = [jetstream(bus.nc), await jetstreamManager(bus.nc)];
    const logStreams = await countLogStreams(jsm, bus, configured);
    const logStreamOf = (tenant: string, run: string) => bus.names.chunks(logShard(tenant, run) % logStreams);
    const clock = createServerClock(bus, bus.names.runs);
    return { bus, js, jsm, logStreams, logStreamOf, runShards: createRunShards(bus), clock };
  } catch (cause) {
    throw MillraceError.isInstance(cause) ? cause : notGiven('its API', cause);
  }
}
