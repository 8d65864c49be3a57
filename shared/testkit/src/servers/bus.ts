// Connections to a test's nats-server, closed when its tests are over.
import { connectBus, locateSeedFile, type Bus, type BusOptions } from '@millrace/bus';
import { afterAll, beforeAll } from 'vitest';

export type TestBus = {
  /** There while the tests run. */
  readonly bus: Bus;
  /** One more connection of the same name, closed with the others. */
  connect(options?: Partial<BusOptions>): Promise<Bus>;
};

export type TestBusOptions = Partial<BusOptions> & {
  /** Connects with the key and the permissions of this role. Default: the test's own user, without restrictions. */
  role?: string;
};
/** `keys`: folder with the keys of the roles. */
export type NatsAddress = { readonly url: string; readonly keys?: string | undefined };

const CONNECT_TIMEOUT_MS = 5_000;

/** Call it after useNats. @param name the service's name: a token */
export function useBus(nats: NatsAddress, name: string, { role, ...options }: TestBusOptions = {}): TestBus {
  const opened: Bus[] = [];
  const connect = async (more: Partial<BusOptions> = {}) => {
    const bus = await connectBus({
      servers: nats.url,
      name,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      ...(role !== undefined && { nkeyFile: findSeed(nats, role) }),
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

/** @throws if the server of the test has no keys of roles */
function findSeed({ keys }: NatsAddress, role: string): string {
  if (keys === undefined) throw new Error(`The server of this test has no key of the role ${role}.`);
  return locateSeedFile(keys, role);
}
