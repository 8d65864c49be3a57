// Services as processes of their own, as users run them: each is started by its main.ts, has its log in a file, and can be
// stopped, killed and frozen. Black-box tests use this; what is not listed is not there.
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gatherInfo } from '@millrace/bus';
import { connect, type Client } from '@millrace/client';
import { afterAll, beforeAll } from 'vitest';
import { useBus } from './bus.ts';
import { eventually } from './eventually.ts';
import type { TestNats } from './nats.ts';

type Env = Record<string, string>;
type Started = { child: ChildProcess; log: string; exited: Promise<unknown> };

export type TestStack = {
  readonly client: Client;
  /** Where the stand-in for the model provider listens, `/v1` included. */
  readonly modelUrl: string;
  /** Starts one more replica of a service; resolves when discovery shows it. */
  start(service: string, env?: Env): Promise<void>;
  /** Sends a signal to all replicas of a service; resolves when they are gone, unless it only freezes them. */
  signal(service: string, signal: NodeJS.Signals): Promise<void>;
  /** What a service has logged so far. */
  log(service: string): Promise<string>;
  /** Names of the services that discovery shows, one for each replica. */
  discovered(): Promise<string[]>;
};

const root = resolve(import.meta.dirname, '../../..');
const READY_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 8_000;

/** Call it behind useNats. dev-model is always there; `env` is given to every service. */
export function useStack(nats: TestNats, services: readonly string[], env: () => Env = () => ({})): TestStack {
  const asker = useBus(nats, 'test-stack');
  const running: [string, Started][] = [];
  let dir = '';
  let client: Client | undefined;
  let modelUrl = '';

  const discovered = async () => (await gatherInfo(asker.bus, { gatherMs: 200 })).map((info) => info.name);
  const count = (names: readonly string[], name: string) => names.filter((one) => one === name).length;
  const launch = (service: string, more: Env): Started => {
    const log = join(dir, `${service}-${running.length}.log`);
    const child = spawn(process.execPath, [join(root, 'services', service, 'src/main.ts')], {
      cwd: dir,
      env: {
        PATH: process.env['PATH'] ?? '',
        NATS_URL: nats.url,
        LOG_LEVEL: 'info',
        DRAIN_GRACE_MS: '2000',
        ...env(),
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const file = createWriteStream(log);
    child.stdout?.pipe(file, { end: false });
    child.stderr?.pipe(file, { end: false });
    const exited = once(child, 'exit').finally(() => file.end());
    const started = { child, log, exited };
    running.push([service, started]);
    return started;
  };
  const start = async (service: string, more: Env = {}) => {
    const before = count(await discovered(), service);
    launch(service, { OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'stand-in', ...more });
    await eventually(async () => count(await discovered(), service) > before, { timeoutMs: READY_TIMEOUT_MS });
  };
  const signal = async (service: string, how: NodeJS.Signals) => {
    const own = running.filter(
      ([name, { child }]) => name === service && child.exitCode === null && child.signalCode === null,
    );
    for (const [, { child }] of own) child.kill(how);
    if (how !== 'SIGSTOP' && how !== 'SIGCONT') await Promise.all(own.map(([, { exited }]) => exited));
  };
  const log = async (service: string) => {
    const logs = running.filter(([name]) => name === service).map(([, started]) => readFile(started.log, 'utf8'));
    return (await Promise.all(logs)).join('');
  };

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'millrace-stack-'));
    launch('dev-model', { PORT: '0', HOST: '127.0.0.1' });
    modelUrl = await eventually(async () => listeningUrl(await log('dev-model')), { timeoutMs: READY_TIMEOUT_MS });
    await Promise.all(services.map((service) => start(service)));
    client = await connect({ url: nats.url });
  }, 60_000);
  afterAll(async () => {
    await client?.close();
    const left = running.map(([, { child, exited }]) => stop(child, exited));
    await Promise.all(left);
    await rm(dir, { recursive: true, force: true });
  }, 30_000);

  return {
    get client() {
      if (!client) throw new Error('useStack: the client is there only while the tests run');
      return client;
    },
    get modelUrl() {
      return modelUrl;
    },
    start,
    signal,
    log,
    discovered,
  };
}

function listeningUrl(log: string): string | undefined {
  const url = /"url":"(http[^"]+)"/.exec(log)?.[1];
  return url === undefined ? undefined : `${url.replace(/\/v1$/, '')}/v1`;
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
