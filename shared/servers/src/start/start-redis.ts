// Starts a redis-server on 127.0.0.1 with its append-only file on. Redis cannot choose a port: one is chosen for it,
// and another if a process takes it first.
import { writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { createContext, findProgram } from '../find/find-program.ts';
import type { Unavailable } from '../find/search-result.ts';
import { launchOnFreePort } from '../process/free-port.ts';
import { redisProduct } from '../find/product.ts';
import { DEFAULT_READY_TIMEOUT_MS, type RunningServer, type StartServerOptions } from './running-server.ts';
import { launchServer } from './server-process.ts';

const SILENCE_TIMEOUT_MS = 1_000;

export type StartRedisOptions = StartServerOptions & {
  /** Holds the append-only file and the written configuration; made if it is not there. One server at a time. */
  dataDir: string;
};

export type RedisServer = RunningServer;

/**
 * Starts a new server and ignores REDIS_URL (provideRedis() uses it); resolves when its data is loaded. A machine
 * without Redis returns the reason as a value.
 */
export async function startRedis(options: StartRedisOptions): Promise<RedisServer | Unavailable> {
  const context = createContext(options);
  const program = options.program ?? (await findProgram(redisProduct, context));
  if (program.kind === 'unavailable') return program;

  const dataDir = resolve(options.dataDir);
  const configFile = join(dataDir, 'redis.conf');
  const logFile = options.logFile ?? join(dataDir, 'redis-server.log');
  const launch = async (port: number) => {
    const started = await launchServer({
      program,
      name: redisProduct.program,
      args: [configFile],
      env: context.host.env,
      storeDir: dataDir,
      logFile,
      readyTimeoutMs: options.readyTimeoutMs ?? DEFAULT_READY_TIMEOUT_MS,
      signal: options.signal,
      prepare: () => writeFile(configFile, buildConfiguration(options, dataDir, port)),
      awaitReady: async (pid) => ((await isServing(port, pid)) ? port : undefined),
    });
    const { pid, exited, stop } = started;
    const { version, source } = program;
    return { kind: 'running' as const, url: `redis://127.0.0.1:${port}`, pid, version, source, logFile, stop, exited };
  };
  return options.port ? launch(options.port) : launchOnFreePort(launch);
}

function buildConfiguration(options: StartRedisOptions, dataDir: string, port: number): string {
  return `# Written at every start.
bind 127.0.0.1
port ${port}
dir ${JSON.stringify(dataDir)}
appendonly yes
# Redis logs to stdout and keeps its command line: a later start identifies a leftover process by it.
logfile ""
daemonize no
set-proc-title no
${options.extraConfig ?? ''}
`;
}

/**
 * Returns true if this very process answers: another server may have taken the port, and a loading one rejects PING. A server
 * that refuses connections without credentials has the user `health`; others refuse that user, and answer without it.
 */
async function isServing(port: number, pid: number): Promise<boolean> {
  const answer = await ask(
    port,
    'AUTH health health\r\nPING\r\nINFO server\r\n',
    /-LOADING|-NOAUTH|\nprocess_id:\d+\r/,
  );
  return answer.includes('+PONG\r\n') && answer.includes(`\nprocess_id:${pid}\r`);
}

/** Returns the received data when it matches, the connection ends, or after a second of silence. */
function ask(port: number, request: string, complete: RegExp): Promise<string> {
  return new Promise((resolvePromise) => {
    let answer = '';
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(request));
    const closeSocket = () => socket.destroy();
    socket.setEncoding('utf8').setTimeout(SILENCE_TIMEOUT_MS, closeSocket);
    socket.on('data', (text: string) => {
      answer += text;
      if (complete.test(answer)) closeSocket();
    });
    socket.on('error', closeSocket);
    socket.on('close', () => resolvePromise(answer));
  });
}
