// Connections to a test's nats-server, closed when its tests are over.
import { connectBus, type Bus, type BusOptions } from '@millrace/bus';
import { afterAll, beforeAll } from 'vitest';

export type TestBus = {
  /** There while the tests run. */
  readonly bus: Bus;
  /** One more connection of the same name, closed with the others. */
  connect(options?: Partial<BusOptions>): Promise<Bus>;
};

const CONNECT_TIMEOUT_MS = 5_000;

/** Call it after useNats. @param name the service's name: a token */
export function useBus(nats: { readonly url: string }, name: string, options: Partial<BusOptions> = {}): TestBus {
  const opened: Bus[] = [];
  const connect = async (more: Partial<BusOptions> = {}) => {
    const bus = await connectBus({
      servers: nats.url,
      name,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      ...options,
      ...more,
    });
    opened.push(bus);
    return bus;
  };
  beforeAll(async () => void (await connect()));
  afterAll(() => Promise.all(opened.splice(0).map((bus) => bus.close())));
  return {
    get bus() {
      const [first] = opened;
      if (first === undefined) throw new Error('useBus: the connection is there only while the tests run');
      return first;
    },
    connect,
  };
}
