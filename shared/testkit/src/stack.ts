// Starts a stack of services for the tests of a file and stops it with them. Only listed services run.
import { afterAll, beforeAll } from 'vitest';
import type { TestNats } from './nats.ts';
import { startStack, type Stack } from './start-stack.ts';

export type TestStack = Omit<Stack, 'stop'>;
type Env = Record<string, string>;

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;

/** Call it after useNats. @param env given to every service @param creds folder of credentials files */
export function useStack(
  nats: TestNats,
  services: readonly string[],
  env: () => Env = () => ({}),
  creds?: () => string,
): TestStack {
  let stack: Stack | undefined;
  const getStack = (): Stack => {
    if (!stack) throw new Error('useStack: the stack is there only while the tests run');
    return stack;
  };
  beforeAll(async () => {
    stack = await startStack({ natsUrl: nats.url, keys: nats.keys, creds: creds?.(), services, env: env() });
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
