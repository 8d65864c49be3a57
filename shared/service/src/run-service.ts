// Runs the life of a service: environment → log → NATS → its own start → serving → a signal → drain → release in
// reverse order. `runService` is for a main.ts; `startService` is the same without the process, for tests and the
// bench.
import { MillraceError, hideAddressParts, toWireError } from '@millrace/contracts';
import {
  connectBus,
  readConnectionSettings,
  resolveAddress,
  withStackKey,
  type Bus,
  type ConnectionSettings,
} from '@millrace/bus';
import type { z } from 'zod';
import { readServiceConfig, type BaseConfig } from './config.ts';
import { serveHealth, type HealthCheck, type PartsCheck } from './health.ts';
import { createLog, type Log } from './log.ts';
import { createResources, type Resources } from './resources.ts';

export type ServiceContext<C> = {
  config: C & BaseConfig;
  bus: Bus;
  log: Log;
  resources: Resources;
  /** Token of this process. */
  replica: string;
  /** The service is unhealthy, with the reason, while the check gives one. */
  watchHealth(check: HealthCheck): void;
  /** The service is healthy while the check lists problems, and its health shows them. */
  watchParts(check: PartsCheck): void;
  /** Returns the problems of all parts. */
  listProblems: PartsCheck;
  /** Returns why the service cannot work, as its health check does. Undefined: it can. */
  findProblem: HealthCheck;
  /** Fires when the service begins to drain. */
  draining: AbortSignal;
  /**
   * Opens a further connection to the same servers, as another user. Its problems are those of the service.
   * @throws credentials-refused, config-invalid
   */
  connectAs(user: { name: string; nkeyFile: string }): Promise<Bus>;
};

export type ServiceDefinition<S extends z.ZodType<object>> = {
  /** A token; also the NATS service's name. */
  name: string;
  /** Three numbers, such as 1.0.0. */
  version: string;
  /** The service's own part of the environment. */
  config: S;
  start(context: ServiceContext<z.output<S>>): Promise<void>;
};

export type RunningService = { replica: string; healthPort: number | undefined; bus: Bus; stop(): Promise<void> };
type ServiceEnv = Record<string, string | undefined>;

/** @param logFd file descriptor of the log. Default: stdout */
export async function startService<S extends z.ZodType<object>>(
  definition: ServiceDefinition<S>,
  env: ServiceEnv,
  logFd?: number,
): Promise<RunningService> {
  checkVersion(definition);
  const config = readServiceConfig(definition.config, env);
  const base: BaseConfig = config;
  const replica = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  const log = createLog(definition.name, replica, base.LOG_LEVEL, logFd);
  const resources = createResources();
  const draining = new AbortController();
  let problem: string | undefined = 'starting';
  const stop = async () => {
    problem = 'draining';
    draining.abort();
    for (const failure of await resources.release(base.DRAIN_GRACE_MS))
      log.error({ error: String(failure.error) }, `${failure.name} was not released`);
  };
  try {
    let findBusProblem: HealthCheck = () => 'no connection to NATS';
    const checks: HealthCheck[] = [];
    const findOwnProblem = () => checks.map((check) => check()).find((found) => found !== undefined);
    const findProblem = () => problem ?? findBusProblem() ?? findOwnProblem();
    const parts: PartsCheck[] = [];
    const listProblems = () => parts.flatMap((check) => check());
    const health = await openHealth(base, resources, { findProblem, listProblems });
    const address = await resolveAddress(env, process.cwd());
    const settings = readConnectionSettings(env);
    const opened: Bus[] = [];
    const open = async (user: { name: string } & ConnectionSettings) => {
      const bus = await connectBus({ servers: address.url, id: replica, prefix: base.MILLRACE_PREFIX, log, ...user });
      opened.push(bus);
      resources.add(`connection of ${user.name}`, () => bus.close());
      return bus;
    };
    // A service without a key of its own, such as a new processor, is a developer's.
    const own = withStackKey(settings, address, [definition.name, 'developer']);
    const bus = await open({ name: definition.name, ...own });
    findBusProblem = bus.findProblem;
    const connectAs: ServiceContext<never>['connectAs'] = async (user) => {
      const further = await open({ ...user, ...(settings.tls && { tls: settings.tls }) });
      checks.push(further.findProblem);
      return further;
    };
    await definition.start({
      config,
      bus,
      log,
      resources,
      replica,
      draining: draining.signal,
      watchHealth: (check) => void checks.push(check),
      watchParts: (check) => void parts.push(check),
      listProblems,
      findProblem,
      connectAs,
    });
    await flushSubscriptions(opened);
    problem = undefined;
    log.info({ nats: hideAddressParts(address.url), from: address.source }, `${definition.name} is up`);
    return { replica, healthPort: health, bus, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Resolves when NATS has registered all subscriptions: a request that a client sends after the service is up must reach them.
 * Also resolves if a connection is lost, because it sends its subscriptions again when it reconnects. A connection is judged lost
 * if NATS leaves three pings unanswered.
 */
async function flushSubscriptions(buses: readonly Bus[]): Promise<void> {
  await Promise.allSettled(buses.map((bus) => bus.nc.flush()));
}

/**
 * Semantic Versioning 2.0.0, as the NATS services protocol requires: stock tools reject or hide services with another
 * version.
 */
const SEMANTIC_VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

function checkVersion({ name, version }: { name: string; version: string }): void {
  if (SEMANTIC_VERSION.test(version)) return;
  throw new MillraceError('config-invalid', `"${version}" is no version for the service ${name}.`, {
    path: 'version',
    remedy: 'Use three numbers, such as 1.0.0.',
  });
}

async function openHealth(
  base: BaseConfig,
  resources: Resources,
  { findProblem, listProblems }: { findProblem: HealthCheck; listProblems: PartsCheck },
): Promise<number | undefined> {
  if (base.HEALTH_PORT === undefined) return undefined;
  const health = await serveHealth(base.HEALTH_PORT, base.HEALTH_HOST, findProblem, listProblems);
  resources.add('health', () => health.close());
  return health.port;
}

/** Message of a started service to its parent, if the parent has opened an IPC channel. */
export const UP = 'up';

/** Ends the process: 0 after a signal and a drain, 1 with the reason when the start failed or something broke. */
export async function runService<S extends z.ZodType<object>>(definition: ServiceDefinition<S>): Promise<void> {
  try {
    const running = await startService(definition, process.env);
    // The parent is a supervisor.
    if (process.connected) process.send?.(UP);
    const signal = await waitForSignal();
    process.stderr.write(`${definition.name}: ${signal}, draining\n`);
    await running.stop();
    process.exitCode = 0;
  } catch (error) {
    process.stderr.write(`${formatStartFailure(definition.name, error)}\n`);
    process.exitCode = 1;
  }
  // Other handles on the event loop (a client that reconnects forever) must not keep the process alive.
  process.exit();
}

export function formatStartFailure(service: string, error: unknown): string {
  const { code, message, remedy } = toWireError(error);
  return `${service} did not start: ${message} (${code})${remedy ? ` ${remedy}` : ''}`;
}

function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => {
        ignoreRepeats(signal);
        resolve(signal);
      });
  });
}

/**
 * npm forwards signals that the terminal has sent to the whole process group: duplicates within this time, ms, count
 * once.
 */
const SAME_SIGNAL_MS = 500;

/** A repeat would end the process without its drain. */
function ignoreRepeats(signal: NodeJS.Signals): void {
  const ignore = () => undefined;
  process.on(signal, ignore);
  setTimeout(() => process.off(signal, ignore), SAME_SIGNAL_MS).unref();
}
