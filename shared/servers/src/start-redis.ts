// A redis-server on 127.0.0.1 with its append-only file on. Redis does not pick a port itself: one is picked for it, and another
// when somebody was faster.
import { writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { contextOf, findProgram } from './find-program.ts';
import type { Unavailable } from './found.ts';
import { launchOnFreePort } from './free-port.ts';
import { redisProduct } from './product.ts';
import { DEFAULT_READY_TIMEOUT_MS, type RunningServer, type StartOptions } from './running-server.ts';
import { launchServer } from './server-process.ts';

const SILENCE_TIMEOUT_MS = 1_000;

export type StartRedisOptions = StartOptions & {
  /** Holds the append-only file and the written configuration; made if it is not there. One server at a time. */
  dataDir: string;
};

export type RedisServer = RunningServer;

/**
 * Starts a server of its own, whatever REDIS_URL says (provideRedis() heeds it), and answers when its data is loaded. A machine
 * that can have none gets the reason as a value.
 *
 * @throws ServerError `store-in-use`, `start-failed`
 */
export async function startRedis(options: StartRedisOptions): Promise<RedisServer | Unavailable> {
  const context = contextOf(options);
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
      prepare: () => writeFile(configFile, configuration(options, dataDir, port)),
      ready: async (pid) => ((await isServing(port, pid)) ? port : undefined),
    });
    const { pid, exited, stop } = started;
    const { version, source } = program;
    return { kind: 'running' as const, url: `redis://127.0.0.1:${port}`, pid, version, source, logFile, stop, exited };
  };
  return options.port ? launch(options.port) : launchOnFreePort(launch);
}

function configuration(options: StartRedisOptions, dataDir: string, port: number): string {
  return `# Written at every start.
bind 127.0.0.1
port ${port}
dir ${JSON.stringify(dataDir)}
appendonly yes
# The log is what it writes to stdout, and the command line stays as it was called: a later start knows a leftover by it.
logfile ""
daemonize no
set-proc-title no
${options.extraConfig ?? ''}
`;
}

/** Whether this very process answers there: another server may have taken the port, and one that still loads says so to PING. */
async function isServing(port: number, pid: number): Promise<boolean> {
  const answer = await ask(port, 'PING\r\nINFO server\r\n', /^-|\nprocess_id:\d+\r/);
  return answer.startsWith('+PONG\r\n') && answer.includes(`\nprocess_id:${pid}\r`);
}

/** What comes back until it matches, the connection ends, or a second passes in silence. */
function ask(port: number, request: string, complete: RegExp): Promise<string> {
  return new Promise((resolvePromise) => {
    let answer = '';
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(request));
    const done = () => socket.destroy();
    socket.setEncoding('utf8').setTimeout(SILENCE_TIMEOUT_MS, done);
    socket.on('data', (text: string) => {
      answer += text;
      if (complete.test(answer)) done();
    });
    socket.on('error', done);
    socket.on('close', () => resolvePromise(answer));
  });
}
