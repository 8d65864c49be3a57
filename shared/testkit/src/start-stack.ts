// Services as processes of their own, as users run them: each is started by its main.ts, has its log in a file, and can be
// stopped, killed and frozen. Knows nothing of a test runner: the bench uses it too.
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectBus, gatherInfo } from '@millrace/bus';
import { connect, type Client } from '@millrace/client';
import { seedFile } from '@millrace/identity';
import { inheritedEnv } from './inherited-env.ts';
import { eventually } from './eventually.ts';
import { credsFile } from './operator-mode.ts';

type Env = Record<string, string>;
type StartedService = { service: string; child: ChildProcess; log: string; exited: Promise<unknown> };

export type Stack = {
  client: Client;
  /** Address of the stand-in for the model provider, `/v1` included. */
  modelUrl: string;
  /** Starts one more replica of a service; resolves when discovery shows it. */
  start(service: string, env?: Env): Promise<void>;
  /** Starts a program that is not a service of the workspace but shows up in discovery as `name`. */
  startProgram(name: string, file: string, env?: Env): Promise<void>;
  /** Sends a signal to all replicas of a service; resolves when they have exited, unless it only freezes them. */
  signal(service: string, signal: NodeJS.Signals): Promise<void>;
  /** Returns the log of a service so far. */
  log(service: string): Promise<string>;
  /** Names of the services that discovery shows, one for each replica. */
  listDiscovered(): Promise<string[]>;
  /** Process ids by service. */
  pids(): { service: string; pid: number }[];
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
};

const root = resolve(import.meta.dirname, '../../..');
/** A cold machine with both cores busy starts eight services in half a minute. */
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 8_000;
const GATHER_MS = 200;

/** A service that is not shipped, such as an example, has the key of a developer. */
const chooseKey = (keys: string, service: string): string =>
  [seedFile(keys, service), seedFile(keys, 'developer')].find((file) => existsSync(file)) ?? '';

/** dev-model is always there. */
export async function startStack({ natsUrl, keys, creds, services, env = {} }: StackOptions): Promise<Stack> {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-stack-'));
  const own = creds === undefined ? {} : { credsFile: credsFile(creds, 'test') };
  const bus = await connectBus({ servers: natsUrl, name: 'test-stack', ...own });
  const running: StartedService[] = [];
  let modelUrl = '';

  const discover = async () => (await gatherInfo(bus, { gatherMs: GATHER_MS })).map((info) => info.name);
  const launch = (service: string, file: string, more: Env) => {
    const log = join(dir, `${service}-${running.length}.log`);
    const given = {
      PATH: process.env['PATH'] ?? '',
      ...inheritedEnv(),
      NATS_URL: natsUrl,
      ...(keys !== undefined && { NATS_NKEY_FILE: chooseKey(keys, service) }),
      ...(creds !== undefined && { NATS_CREDS_FILE: credsFile(creds, service) }),
      LOG_LEVEL: 'info',
      DRAIN_GRACE_MS: '2000',
      ...env,
      ...more,
    };
    const child = spawn(process.execPath, [file], { cwd: dir, env: given, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = createWriteStream(log);
    child.stdout?.pipe(output, { end: false });
    child.stderr?.pipe(output, { end: false });
    running.push({ service, child, log, exited: once(child, 'exit').finally(() => output.end()) });
  };
  const log = async (service: string) => {
    const own = running.filter((started) => started.service === service);
    return (await Promise.all(own.map((started) => readFile(started.log, 'utf8')))).join('');
  };
  const startProgram = async (name: string, file: string, more: Env = {}) => {
    const before = count(await discover(), name);
    launch(name, file, { OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'stand-in', ...more });
    await eventually(async () => count(await discover(), name) > before, { timeoutMs: READY_TIMEOUT_MS }).catch(
      async (cause: unknown) => {
        throw new Error(`${name} did not start. Its log: ${await log(name)}`, { cause });
      },
    );
  };
  const start = (service: string, more: Env = {}) => startProgram(service, resolveMain(service), more);
  const alive = () => running.filter(({ child }) => child.exitCode === null && child.signalCode === null);

  const endAll = async () => {
    await Promise.all(alive().map(({ child, exited }) => end(child, exited)));
    await bus.close();
    await rm(dir, { recursive: true, force: true });
  };
  const openStack = async () => {
    launch('dev-model', resolveMain('dev-model'), { PORT: '0', HOST: '127.0.0.1' });
    modelUrl = await eventually(async () => listeningUrl(await log('dev-model')), { timeoutMs: READY_TIMEOUT_MS });
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
      const own = alive().filter((started) => started.service === service);
      for (const { child } of own) child.kill(how);
      if (how !== 'SIGSTOP' && how !== 'SIGCONT') await Promise.all(own.map(({ exited }) => exited));
    },
    log,
    listDiscovered: discover,
    pids: () => alive().flatMap(({ service, child }) => (child.pid === undefined ? [] : [{ service, pid: child.pid }])),
    async stop() {
      await client.close();
      await endAll();
    },
  };
}

const resolveMain = (service: string) => join(root, 'services', service, 'src/main.ts');
const count = (names: readonly string[], name: string) => names.filter((one) => one === name).length;

function listeningUrl(log: string): string | undefined {
  const url = /"url":"(http[^"]+)"/.exec(log)?.[1];
  return url === undefined ? undefined : `${url.replace(/\/v1$/, '')}/v1`;
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
