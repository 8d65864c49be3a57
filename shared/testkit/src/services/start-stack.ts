// Services as processes of their own, as users run them: each is started by its main.ts, has its log in a file, and can be
// stopped, killed and frozen. A test that does none of it shares one process between its services: the service host. Knows nothing of a
// test runner: the bench uses it too.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectBus, gatherInfo } from '@millrace/bus';
import { connect, type Client } from '@millrace/client';
import { locateSeedFile } from '@millrace/identity';
import { inheritedEnv } from '../run/inherited-env.ts';
import { eventually } from '../run/eventually.ts';
import { credsFile } from '../servers/operator-mode.ts';
import type { TestedService, ServiceHost } from './service-host.ts';
import { createServiceProcesses } from './service-processes.ts';

type Env = Record<string, string>;
/** Names of services, or all. */
export type ServiceSelection = 'all' | readonly string[];

export type Stack = {
  client: Client;
  /** Address of the stand-in for the model provider, `/v1` included. */
  modelUrl: string;
  /** Starts one more replica of a service; resolves when discovery shows it. */
  start(service: string, env?: Env): Promise<void>;
  /** Starts a program that is not a service of the workspace but shows up in discovery as `name`. */
  startProgram(name: string, file: string, env?: Env): Promise<void>;
  /**
   * Sends a signal to all replicas of a service; resolves when they have exited, unless it only freezes them.
   * @throws if the service has no process of its own
   */
  signal(service: string, signal: NodeJS.Signals): Promise<void>;
  /** Returns the log of a service so far. */
  log(service: string): Promise<string>;
  /** Names of the services that discovery shows, one for each replica. */
  listDiscovered(): Promise<string[]>;
  /** Process ids by service, without those in the host. */
  pids(): { service: string; pid: number }[];
  /** Closes the connections of this process. The services continue. */
  leave(): Promise<void>;
  stop(): Promise<void>;
};

export type StackOptions = {
  natsUrl: string;
  /** Folder of keys: each service connects with its own. Without it the services connect as the test does. */
  keys?: string | undefined;
  /** Folder of credentials files, for a server in operator mode. The stack itself and its client connect as `test`. */
  creds?: string | undefined;
  services: readonly string[];
  /** Given to every service. */
  env?: Env;
  /** Runs the services that need no process of their own. Absent: each has one. */
  host?: ServiceHost;
  /** With a host: the services that have a process of their own. Programs always have one. */
  processes?: ServiceSelection;
};

const root = resolve(import.meta.dirname, '../../../..');
/** A cold machine with both cores busy starts eight services in half a minute. */
const READY_TIMEOUT_MS = 60_000;
const GATHER_MS = 200;

/** A service that is not shipped, such as an example, has the key of a developer. */
const chooseKey = (keys: string, service: string): string =>
  [locateSeedFile(keys, service), locateSeedFile(keys, 'developer')].find((file) => existsSync(file)) ?? '';

/** dev-model is always there. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { natsUrl, creds, services, host, processes = [] } = options;
  const dir = await mkdtemp(join(tmpdir(), 'millrace-stack-'));
  const own = creds === undefined ? {} : { credsFile: credsFile(creds, 'test') };
  const bus = await connectBus({ servers: natsUrl, name: 'test-stack', ...own });
  const children = createServiceProcesses(dir);
  const hosted: TestedService[] = [];
  const isHosted = (service: string) => host !== undefined && processes !== 'all' && !processes.includes(service);
  let modelUrl = '';

  const discover = async () => (await gatherInfo(bus, { gatherMs: GATHER_MS })).map((info) => info.name);
  const log = async (service: string) =>
    `${await children.readLog(service)}${isHosted(service) ? (host?.log(service) ?? '') : ''}`;
  const withModel = (more: Env) => ({ OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'stand-in', ...more });
  const startHosted = async (service: string, more: Env) => {
    if (!host?.isAlive()) throw new Error(`${service} cannot start: the service host has exited.`);
    // The folder of the process is shared by all stacks of the worker.
    const database = join(dir, '.millrace', `${service}.db`);
    const env = { SQLITE_PATH: database, ...createEnv(options, service, more) };
    const started = await host.start(service, env);
    hosted.push(started);
    return started;
  };
  const startProgram = async (name: string, file: string, more: Env = {}) => {
    const before = count(await discover(), name);
    children.launch(name, file, createEnv(options, name, withModel(more)));
    await eventually(async () => count(await discover(), name) > before, { timeoutMs: READY_TIMEOUT_MS }).catch(
      async (cause: unknown) => {
        throw new Error(`${name} did not start. Its log: ${await log(name)}`, { cause });
      },
    );
  };
  const start = async (service: string, more: Env = {}) => {
    if (isHosted(service)) await startHosted(service, withModel(more));
    else await startProgram(service, resolveMain(service), more);
  };
  const startModel = async () => {
    if (isHosted('dev-model')) return (await startHosted('dev-model', { PORT: '0' })).url ?? '';
    // Its address is in a line of level info.
    const env = createEnv(options, 'dev-model', { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'info' });
    children.launch('dev-model', resolveMain('dev-model'), env);
    return eventually(async () => listeningUrl(await log('dev-model')), { timeoutMs: READY_TIMEOUT_MS });
  };

  const endAll = async () => {
    await Promise.all([children.end(), ...hosted.map((started) => started.stop())]);
    await bus.close();
    await rm(dir, { recursive: true, force: true });
  };
  const openStack = async () => {
    modelUrl = await startModel();
    await Promise.all(services.map((service) => start(service)));
    return connect({ url: natsUrl, ...own });
  };
  // A start that fails half way leaves nothing behind.
  const client = await openStack().catch(async (error: unknown) => {
    await endAll();
    throw error;
  });

  return {
    client,
    modelUrl,
    start,
    startProgram,
    async signal(service, how) {
      if (isHosted(service) && !children.includes(service))
        throw new Error(`${service} has no process of its own: name it in \`processes\`.`);
      await children.signal(service, how);
    },
    log,
    listDiscovered: discover,
    pids: children.pids,
    async leave() {
      await client.close();
      await bus.close();
    },
    async stop() {
      await client.close();
      await endAll();
    },
  };
}

const createEnv = ({ natsUrl, keys, creds, env }: StackOptions, service: string, more: Env): Env => ({
  PATH: process.env['PATH'] ?? '',
  ...inheritedEnv(),
  NATS_URL: natsUrl,
  ...(keys !== undefined && { NATS_NKEY_FILE: chooseKey(keys, service) }),
  ...(creds !== undefined && { NATS_CREDS_FILE: credsFile(creds, service) }),
  LOG_LEVEL: 'info',
  DRAIN_GRACE_MS: '2000',
  ...env,
  ...more,
});

const resolveMain = (service: string) => join(root, 'services', service, 'src/main.ts');
const count = (names: readonly string[], name: string) => names.filter((one) => one === name).length;

function listeningUrl(log: string): string | undefined {
  const url = /"url":"(http[^"]+)"/.exec(log)?.[1];
  return url === undefined ? undefined : `${url.replace(/\/v1$/, '')}/v1`;
}
