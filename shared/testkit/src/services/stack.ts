// Starts a stack of services for the tests of a file and stops it with them. Only listed services run.
import { afterAll, beforeAll } from 'vitest';
import type { TestNats } from '../servers/nats.ts';
import { startServiceHost, type ServiceHost } from './service-host.ts';
import { startStack, type ServiceSelection, type Stack } from './start-stack.ts';

export type TestStack = Omit<Stack, 'stop' | 'leave'>;
type Env = Record<string, string>;

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;

declare global {
  /** A worker evaluates this module once for each file, and starts one host. */
  var millraceServiceHost: ServiceHost | undefined;
}

export type TestStackOptions = {
  /** Folder of credentials files. */
  creds?: () => string;
  /** The services that have a process of their own, because the test kills, signals or measures it. */
  processes?: ServiceSelection;
};

/** Call it after useNats. The services share a process if the options do not list them. @param env given to every service */
export function useStack(
  nats: TestNats,
  services: readonly string[],
  env: () => Env = () => ({}),
  { creds, processes = [] }: TestStackOptions = {},
): TestStack {
  let stack: Stack | undefined;
  const getStack = (): Stack => {
    if (!stack) throw new Error('useStack: the stack is there only while the tests run');
    return stack;
  };
  beforeAll(async () => {
    const address = { natsUrl: nats.url, keys: nats.keys, creds: creds?.() };
    const host = processes === 'all' ? {} : { host: useServiceHost() };
    stack = await startStack({ ...address, ...host, processes, services, env: env() });
  }, START_TIMEOUT_MS);
  afterAll(() => stack?.stop(), STOP_TIMEOUT_MS);
  return {
    get client() {
      return getStack().client;
    },
    get modelUrl() {
      return getStack().modelUrl;
    },
    start: (service, more) => getStack().start(service, more),
    startProgram: (name, file, more) => getStack().startProgram(name, file, more),
    signal: (service, how) => getStack().signal(service, how),
    log: (service) => getStack().log(service),
    listDiscovered: () => getStack().listDiscovered(),
    pids: () => getStack().pids(),
  };
}

/** Returns the host of this worker. One that has exited, because a service broke it, is replaced. */
export function useServiceHost(): ServiceHost {
  const former = globalThis.millraceServiceHost;
  return former?.isAlive() ? former : (globalThis.millraceServiceHost = startServiceHost());
}
