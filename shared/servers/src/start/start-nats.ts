// A nats-server on 127.0.0.1, with JetStream in files and the monitoring pages. It picks its own ports and writes them to a
// file, so that no other process can take them between picking and binding.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createContext, findProgram } from '../find/find-program.ts';
import { isHealthy } from '../process/wait-until.ts';
import { natsProduct } from '../find/product.ts';
import { DEFAULT_READY_TIMEOUT_MS, type RunningServer, type StartServerOptions } from './running-server.ts';
import { ServerError } from '../process/server-error.ts';
import { launchServer } from './server-process.ts';

export type StartNatsOptions = StartServerOptions & {
  /** Holds JetStream's files and the written configuration; made if it is not there. One server at a time. */
  storeDir: string;
  /** Port of the monitoring pages; 0 or nothing: one that is free. */
  monitorPort?: number;
  /** Port of the WebSocket listener, without TLS; 0: one that is free. Absent: no listener. */
  webSocketPort?: number;
  /** Each write is on the disk before it is acknowledged; absent: every 2 minutes, as by default. */
  isSynced?: boolean;
};

export type NatsServer = RunningServer & {
  /** The monitoring pages: `<monitorUrl>/varz`, `/healthz`, `/jsz`. */
  monitorUrl: string;
  /** Address of the WebSocket listener, on 127.0.0.1. */
  webSocketUrl?: string;
};

/**
 * Starts a new server and ignores NATS_URL (provideNats() uses it); resolves when it is healthy, JetStream included.
 */
export async function startNats(options: StartNatsOptions): Promise<NatsServer> {
  const context = createContext(options);
  const program = options.program ?? (await findProgram(natsProduct, context));
  if (program.kind === 'unavailable') throw new ServerError('server-unavailable', program.reason);

  const storeDir = resolve(options.storeDir);
  const portsDir = join(storeDir, 'ports');
  const configFile = join(storeDir, 'nats-server.conf');
  const logFile = options.logFile ?? join(storeDir, 'nats-server.log');
  const { pid, exited, stop, details } = await launchServer({
    program,
    name: natsProduct.program,
    args: ['--config', configFile],
    env: context.host.env,
    storeDir,
    logFile,
    readyTimeoutMs: options.readyTimeoutMs ?? DEFAULT_READY_TIMEOUT_MS,
    signal: options.signal,
    prepare: async () => {
      // A killed server leaves its ports behind.
      await rm(portsDir, { recursive: true, force: true });
      await mkdir(portsDir, { recursive: true });
      await writeFile(configFile, buildConfiguration(options, storeDir, portsDir));
    },
    awaitReady: async (processId) => {
      const ports = await readPorts(join(portsDir, `nats-server_${processId}.ports`));
      const isReady = ports !== undefined && (await isHealthy(`${ports.monitorUrl}/healthz`));
      return isReady ? ports : undefined;
    },
  });
  const { version, source } = program;
  return { kind: 'running', ...details, pid, version, source, logFile, stop, exited };
}

// A string in JSON is one in this syntax too. -1 lets the server pick a port.
function buildConfiguration(options: StartNatsOptions, storeDir: string, portsDir: string): string {
  return `# Written at every start.
listen: "127.0.0.1:${options.port || -1}"
http: "127.0.0.1:${options.monitorPort || -1}"
ports_file_dir: ${JSON.stringify(portsDir)}
max_payload: 8MB
# A client that went away without a word is noticed within 15 s: until then its queue group loses messages to it.
ping_interval: "5s"
ping_max: 2
jetstream {
  store_dir: ${JSON.stringify(storeDir)}
  ${options.isSynced ? 'sync_interval: always' : ''}
}
${options.webSocketPort === undefined ? '' : `websocket { listen: "127.0.0.1:${options.webSocketPort || -1}", no_tls: true }`}
${options.extraConfig ?? ''}
`;
}

type NatsAddresses = { url: string; monitorUrl: string; webSocketUrl?: string };

/** The file is written when the server listens: `{"nats": ["nats://127.0.0.1:4222"], "monitoring": ["http://127.0.0.1:8222"]}`. */
async function readPorts(path: string): Promise<NatsAddresses | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const url = findFirstString('nats' in value ? value.nats : undefined);
    const monitorUrl = findFirstString('monitoring' in value ? value.monitoring : undefined);
    const webSocketUrl = findFirstString('websocket' in value ? value.websocket : undefined);
    if (url === undefined || monitorUrl === undefined) return undefined;
    return { url, monitorUrl, ...(webSocketUrl !== undefined && { webSocketUrl }) };
  } catch {
    // Not there yet, or not complete.
    return undefined;
  }
}

function findFirstString(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return typeof first === 'string' ? first : undefined;
}
