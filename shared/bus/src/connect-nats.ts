// Connects with our own transport: the client's own `connect` would put its transport in place of it.
import { NatsConnectionImpl, setTransportFactory } from '@nats-io/nats-core/internal';
import type { NatsConnection, NodeConnectionOptions } from 'nats';
import { nodeResolveHost } from 'nats/lib/node_transport.js';
import { TurnTransport } from './turn-transport.ts';

export function connectNats(options: NodeConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new TurnTransport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
}
