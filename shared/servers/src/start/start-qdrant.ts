// Starts a Qdrant on 127.0.0.1, HTTP only. Without it the caller uses the embedded vector store.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createContext, findProgram } from '../find/find-program.ts';
import type { Unavailable } from '../find/search-result.ts';
import { launchOnFreePort } from '../process/free-port.ts';
import { isHealthy } from '../process/wait-until.ts';
import { qdrantProduct } from '../find/product.ts';
import { DEFAULT_READY_TIMEOUT_MS, type RunningServer, type StartServerOptions } from './running-server.ts';
import { launchServer } from './server-process.ts';

export type StartQdrantOptions = Omit<StartServerOptions, 'extraConfig'> & {
  /** Holds collections, snapshots and the written configuration; made if it is not there. One server at a time. */
  storageDir: string;
  /** Required of each request except those of health. */
  apiKey?: string;
};

export type QdrantServer = RunningServer;

/** Starts a new server and ignores QDRANT_URL (provideQdrant() uses it); resolves when its collections are loaded. */
export async function startQdrant(options: StartQdrantOptions): Promise<QdrantServer | Unavailable> {
  const context = createContext(options);
  const program = options.program ?? (await findProgram(qdrantProduct, context));
  if (program.kind === 'unavailable') return program;

  const storageDir = resolve(options.storageDir);
  const configFile = join(storageDir, 'qdrant.yaml');
  const logFile = options.logFile ?? join(storageDir, 'qdrant.log');
  const launch = async (port: number): Promise<QdrantServer> => {
    const url = `http://127.0.0.1:${port}`;
    const { pid, exited, stop } = await launchServer({
      program,
      name: qdrantProduct.program,
      args: ['--config-path', configFile, '--disable-telemetry'],
      env: context.host.env,
      storeDir: storageDir,
      logFile,
      readyTimeoutMs: options.readyTimeoutMs ?? DEFAULT_READY_TIMEOUT_MS,
      signal: options.signal,
      prepare: async () => {
        await mkdir(join(storageDir, 'collections'), { recursive: true });
        await writeSecretly(configFile, buildConfiguration(storageDir, port, options.apiKey));
      },
      awaitReady: async () => ((await isHealthy(`${url}/readyz`)) ? true : undefined),
    });
    const { version, source } = program;
    return { kind: 'running', url, pid, version, source, logFile, stop, exited };
  };
  return options.port ? launch(options.port) : launchOnFreePort(launch);
}

/** The mode of a file that exists stays as it is, so an earlier one is removed. */
async function writeSecretly(file: string, text: string): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, text, { mode: 0o600 });
}

// Every JSON document is a YAML document (YAML 1.2, section 1.3).
function buildConfiguration(storageDir: string, port: number, apiKey: string | undefined): string {
  const config = {
    storage: {
      storage_path: join(storageDir, 'collections'),
      snapshots_path: join(storageDir, 'snapshots'),
      temp_path: join(storageDir, 'temporary'),
    },
    service: { host: '127.0.0.1', http_port: port, grpc_port: null, ...(apiKey !== undefined && { api_key: apiKey }) },
    telemetry_disabled: true,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
