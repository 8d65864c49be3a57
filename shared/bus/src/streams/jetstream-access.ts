// Bundles the connection, the client and the manager of JetStream.
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { MillraceError, logShard } from '@millrace/contracts';
import type { Bus } from '../core/bus.ts';
import { createMissingError } from './jetstream-errors.ts';
import { countLogStreams } from './log-streams.ts';
import { createRunShards, type RunShards } from './run-shards.ts';
import { createServerClock, type ServerClock } from './server-clock.ts';

export type JetStreamAccess = {
  bus: Bus;
  js: JetStreamClient;
  jsm: JetStreamManager;
  /** Number of streams of the chunk log. */
  logStreams: number;
  /** Returns the stream of a run's chunks. */
  chooseLogStream(tenant: string, run: string): string;
  runShards: RunShards;
  /** The clock by which all orchestrators compare deadlines and expiries. */
  clock: ServerClock;
};

export type JetStreamOptions = {
  /** 1 to 16: for the first start; absent: as stored, or 1. */
  logStreams?: number | undefined;
};

/**
 * @throws bus-unreachable if the server has no JetStream for us; stream-mismatch if the chunk log has another number of
 * streams
 */
export async function openJetStream(
  bus: Bus,
  { logStreams: configured }: JetStreamOptions = {},
): Promise<JetStreamAccess> {
  try {
    const [js, jsm] = [jetstream(bus.nc), await jetstreamManager(bus.nc)];
    const logStreams = await countLogStreams(jsm, bus, configured);
    const findLogStream = (tenant: string, run: string) => bus.names.chunks(logShard(tenant, run) % logStreams);
    const clock = createServerClock(bus, bus.names.runs);
    return { bus, js, jsm, logStreams, chooseLogStream: findLogStream, runShards: createRunShards(bus), clock };
  } catch (cause) {
    throw MillraceError.isInstance(cause) ? cause : createMissingError('its API', cause);
  }
}
