// A stack of services for the tests of a file, stopped with them. What is not listed is not there.
import { afterAll, beforeAll } from 'vitest';
import type { TestNats } from './nats.ts';
import { startStack, type Stack } from './start-stack.ts';

export type TestStack = Omit<Stack, 'stop'>;
type Env = Record<string, string>;

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;

/** Call it after useNats. @param env given to every service */
export function useStack(nats: TestNats, services: readonly string[], env: () => Env = () => ({})): TestStack {
  let stack: Stack | undefined;
  const there = (): Stack => {
    if (!stack) throw new Error('useStack: the stack is there only while the tests run');
    return stack;
  };
  beforeAll(async () => {
    stack = await startStack({ natsUrl: nats.url, services, env: env() });
  }, START_TIMEOUT_MS);
  afterAll(() => stack?.stop(), STOP_TIMEOUT_MS);
  return {
    get client() {
      return there().client;
    },
    get modelUrl() {
      return there().modelUrl;
    },
    start: (service, more) => there().start(service, more),
    startProgram: (name, file, more) => there().startProgram(name, file, more),
    signal: (service, how) => there().signal(service, how),
    log: (service) => there().log(service),
    discovered: () => there().discovered(),
    pids: () => there().pids(),
  };
}
