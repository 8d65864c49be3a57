// The processes of services: one host for those that share one, and a process of its own for each of the others, and for all once the host
// has died repeatedly, so that a defect of one service ends that service alone.
import { dirname, join } from 'node:path';
import { startHost, type HostProcess } from '@millrace/host';
import type { StackEnvironment } from './backing-servers.ts';
import { openLogFile } from './log-file.ts';
import {
  DEFAULT_STOP_TIMEOUT_MS,
  describeExit,
  startServiceProcess,
  type ProcessExit,
  type SpawnedService,
  type StartProcess,
} from './service-process.ts';

/** After so many deaths the services get processes of their own. */
const MAX_DEATHS = 2;

export type LocalHost = {
  /** Starts a service in the host. */
  start: StartProcess;
  stop(): Promise<void>;
};

type LocalHostOptions = {
  name: string;
  /** PATH, HOME and the like: services receive their own variables with their start. */
  env: StackEnvironment;
  logFile: string;
};

type LivingHost = { process: HostProcess; exited: Promise<ProcessExit> };

export function createLocalHost({ name, env, logFile }: LocalHostOptions): LocalHost {
  let current: Promise<LivingHost> | undefined;
  let deaths = 0;
  let isStopping = false;

  async function open(): Promise<LivingHost> {
    const log = await openLogFile(logFile);
    const host = startHost({
      env,
      name,
      output: log.fd,
      nodeFlags: HEAP_FLAGS,
      // As each service of its own: Ctrl-C in the terminal is for the parent.
      detached: process.platform !== 'win32',
    });
    const exited = describeExit(host.child).then((exit) => {
      current = undefined;
      if (!isStopping) deaths += 1;
      return { ...exit, logFile };
    });
    await log.close();
    return { process: host, exited };
  }

  /** The next start opens a host again. */
  function forget(error: unknown): never {
    current = undefined;
    throw error;
  }

  async function start(
    spec: Parameters<StartProcess>[0],
    ownLog: string,
    stopTimeoutMs = DEFAULT_STOP_TIMEOUT_MS,
  ): Promise<SpawnedService> {
    if (deaths >= MAX_DEATHS) return startServiceProcess(spec, ownLog, stopTimeoutMs);
    const host = await (current ??= open().catch(forget));
    // Puts a large log aside.
    await (await openLogFile(ownLog)).close();
    const ended = Promise.withResolvers<ProcessExit>();
    const up = Promise.withResolvers<void>();
    const variables = Object.fromEntries(
      Object.entries(spec.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const starting = host.process.start({
      module: join(dirname(spec.main), 'service.ts'),
      env: variables,
      logFile: ownLog,
    });
    starting.then(
      () => up.resolve(),
      () => {
        if (host.process.isAlive()) ended.resolve({ code: 1, reason: 'did not start' });
      },
    );
    let stopping: Promise<void> | undefined;
    const end = async () => {
      const service = await starting.catch(() => undefined);
      await service?.stop(stopTimeoutMs);
      ended.resolve({ code: 0, reason: 'was stopped' });
    };
    return {
      pid: host.process.child.pid,
      up: up.promise,
      exited: Promise.race([host.exited, ended.promise]),
      stop: () => (stopping ??= end()),
    };
  }

  return {
    start,
    async stop() {
      isStopping = true;
      const host = await current?.catch(() => undefined);
      host?.process.child.kill('SIGTERM');
      await host?.exited;
    },
  };
}

/** Bounds the young generation, which otherwise keeps up to 96 MB after a load. */
const HEAP_FLAGS = ['--max-semi-space-size=8'];
