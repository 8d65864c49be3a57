// What every use of JetStream needs: the connection, the client and the manager.
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import type { Bus } from './bus.ts';
import { notGiven } from './jetstream-errors.ts';

export type JetStreamAccess = { bus: Bus; js: JetStreamClient; jsm: JetStreamManager };

/** @throws bus-unreachable when the server has no JetStream for us */
export async function openJetStream(bus: Bus): Promise<JetStreamAccess> {
  try {
    return { bus, js: jetstream(bus.nc), jsm: await jetstreamManager(bus.nc) };
  } catch (cause) {
    throw notGiven('its API', cause);
  }
}
