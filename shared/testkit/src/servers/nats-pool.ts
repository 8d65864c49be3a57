// Keeps the nats-servers of a worker for its next test files: the start of a server and of its key folder takes 0.3 s of processor time, and
// an empty server is as good as a new one.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@millrace/bus';
import { findNats, startNats, type NatsServer, type Program } from '@millrace/servers';
import { createBusUsers, type BusUsers } from './bus-users.ts';
import { eventually } from '../run/eventually.ts';
import { exemptHandles, exemptProcess, listChildProcesses } from '../run/open-things.ts';

export type PooledNats = {
  server: NatsServer;
  storeDir: string;
  users: BusUsers;
  /** Hash of the key folder at the start of the server. */
  keysHash: string;
  isAlive(): boolean;
};

const idle: PooledNats[] = [];
/** A client that was closed leaves the server within milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;
let program: Promise<Program> | undefined;

/** Finds nats-server, once for each worker. @throws with the reason if there is none */
export function findNatsProgram(): Promise<Program> {
  return (program ??= findProgram().catch((error: unknown) => {
    program = undefined;
    throw error;
  }));
}

async function findProgram(): Promise<Program> {
  const { NATS_URL: _external, ...env } = process.env;
  const found = await findNats({ env });
  if (found.kind === 'program') return found;
  throw new Error(`The tests need a nats-server: ${'reason' in found ? found.reason : found.kind}`);
}

/** Takes an idle server of this worker, or starts one. */
export async function takeNats(): Promise<PooledNats> {
  for (let next = idle.pop(); next; next = idle.pop()) {
    if (next.isAlive()) return next;
    await removeFiles(next);
  }
  return startPooled();
}

async function startPooled(): Promise<PooledNats> {
  const before = new Set(listChildProcesses());
  const storeDir = await mkdtemp(join(tmpdir(), 'millrace-nats-'));
  const users = await createBusUsers();
  const server = await startNats({ storeDir, extraConfig: users.config, program: await findNatsProgram() });
  // The server, its watchdog and the pipe of the watchdog outlive the file.
  for (const pid of listChildProcesses()) if (!before.has(pid)) exemptProcess(Number(pid));
  const endExemption = exemptHandles(['ProcessWrap', 'PipeWrap']);
  let isAlive = true;
  void server.exited.then(() => {
    isAlive = false;
    endExemption();
  });
  return { server, storeDir, users, keysHash: hashFolder(users.keys), isAlive: () => isAlive };
}

/**
 * Removes the streams of a server for the next file. Ends the server if a connection remains, or if the test has changed its keys. A worker
 * that exits leaves its idle servers to their watchdogs.
 */
export async function returnNats(pooled: PooledNats): Promise<void> {
  if (await isReusable(pooled)) {
    idle.push(pooled);
    return;
  }
  // A server that stops in good order writes its streams first, 0.2 s; its store is removed here.
  if (pooled.isAlive()) process.kill(pooled.server.pid, 'SIGKILL');
  await pooled.server.exited;
  await removeFiles(pooled);
}

async function removeFiles({ storeDir, users }: PooledNats): Promise<void> {
  for (const dir of [storeDir, users.keys]) await rm(dir, { recursive: true, force: true });
}

async function isReusable({ server, users, keysHash, isAlive }: PooledNats): Promise<boolean> {
  try {
    return isAlive() && hashFolder(users.keys) === keysHash && (await empty(server));
  } catch {
    return false;
  }
}

/** Returns whether the server is empty then. */
async function empty({ url, monitorUrl }: NatsServer): Promise<boolean> {
  await eventually(async () => (await countConnections(monitorUrl)) === 0, { timeoutMs: CLOSE_TIMEOUT_MS });
  const bus = await connectBus({ servers: url, name: 'pool' });
  try {
    const ask = async (verb: string) =>
      (await bus.nc.request(`$JS.API.STREAM.${verb}`)).json<{ streams?: string[] | null }>();
    const { streams } = await ask('NAMES');
    await Promise.all((streams ?? []).map((name) => ask(`DELETE.${name}`)));
    return !(await ask('NAMES')).streams?.length;
  } finally {
    await bus.close();
  }
}

async function countConnections(monitorUrl: string): Promise<number> {
  // A test may have frozen the server.
  const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
  const answer = await fetch(`${monitorUrl}/connz`, { headers: { connection: 'close' }, signal });
  const page: unknown = await answer.json();
  if (typeof page === 'object' && page !== null && 'num_connections' in page) return Number(page.num_connections);
  throw new Error(`${monitorUrl}/connz counts no connections.`);
}

function hashFolder(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const hash = createHash('sha256');
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
    hash.update(`${path}\n`).update(readFileSync(path));
  }
  return hash.digest('hex');
}
