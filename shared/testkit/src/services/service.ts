// A service in the test's own process, started as its main.ts would, stopped when the tests are over.
import { startService, type RunningService } from '@millrace/service';
import { afterAll, beforeAll } from 'vitest';

type Definition = Parameters<typeof startService>[0];
type Env = Record<string, string | undefined>;

export type TestService = {
  /** There while the tests run. */
  readonly running: RunningService;
  /** One more replica, stopped with the others. */
  start(env?: Env): Promise<RunningService>;
};

/** By default nothing is logged and a drain is short. */
const quiet: Env = { LOG_LEVEL: 'silent', DRAIN_GRACE_MS: '1000' };

/** Call it after useNats, because it awaits the server. */
export function useService(definition: Definition, env: Env | (() => Env | Promise<Env>)): TestService {
  const started: RunningService[] = [];
  const start = async (more: Env = {}) => {
    const given = typeof env === 'function' ? await env() : env;
    const service = await startService(definition, { ...quiet, ...given, ...more });
    started.push(service);
    return service;
  };
  beforeAll(async () => void (await start()));
  afterAll(() => Promise.all(started.splice(0).map((service) => service.stop())));
  return {
    get running() {
      const [first] = started;
      if (first === undefined) throw new Error('useService: the service is there only while the tests run');
      return first;
    },
    start,
  };
}
