// What every use of JetStream needs: the connection, the client and the manager.
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { logShard } from '@millrace/contracts';
import type { Bus } from './bus.ts';
import { notGiven } from './jetstream-errors.ts';
import { createRunShards, type RunShards } from './run-shards.ts';

export type JetStreamAccess = {
  bus: Bus;
  js: JetStreamClient;
  jsm: JetStreamManager;
  /** How many streams hold the chunk log. */
  logStreams: number;
  /** The stream that holds a run's chunks. */
  logStreamOf(tenant: string, run: string): string;
  runShards: RunShards;
};

export type JetStreamOptions = {
  /** 1 to 16, the same for all orchestrators: a stream holds every so many-th shard. */
  logStreams?: number;
};

/** @throws bus-unreachable when the server has no JetStream for us */
export async function openJetStream(bus: Bus, { logStreams = 1 }: JetStreamOptions = {}): Promise<JetStreamAccess> {
  try {
    const logStreamOf = (tenant: string, run: string) => bus.names.chunks(logShard(tenant, run) % logStreams);
    const [js, jsm] = [jetstream(bus.nc), await jetstreamManager(bus.nc)];
    return { bus, js, jsm, logStreams, logStreamOf, runShards: createRunShards(bus) };
  } catch (cause) {
    throw notGiven('its API', cause);
  }
}
