// Allows one server per directory. A claim file names the starting process and the server, so that the next start can
// distinguish a server in use (rejected) from one with a killed owner (ended first). Otherwise two servers could write
// one store, or a leftover would block it.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcess } from './process-end.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.ts';
import { ServerError } from './server-error.ts';

/** As often as another process may take or leave the directory between two looks at it. */
const MAX_ATTEMPTS = 10;

type ClaimRecord = {
  owner: ProcessIdentity;
  server?: ProcessIdentity | undefined;
};

export type StoreClaim = {
  /** Notes the server, so that a later start can end it. */
  record(server: ProcessIdentity | undefined): Promise<void>;
  release(): Promise<void>;
};

/** @throws ServerError `store-in-use` while a living process has the directory, `stop-failed` when its leftover does not end. */
export async function claimStore(storeDir: string, program: string): Promise<StoreClaim> {
  await mkdir(storeDir, { recursive: true });
  const path = join(storeDir, `${program}.pid`);
  const owner = (await identifyProcess(process.pid)) ?? { pid: process.pid, started: '', command: '' };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (await createComplete(path, { owner })) {
      return {
        record: (server) => replace(path, { owner, server }),
        release: () => rm(path, { force: true }),
      };
    }
    await removeLeftover(path, storeDir, program);
  }
  throw new ServerError('store-in-use', `other processes claim ${storeDir} again and again; use another directory`);
}

async function removeLeftover(path: string, storeDir: string, program: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const left = parseRecord(text);
  if (left !== undefined && (await isAlive(left.owner))) {
    const message = `process ${left.owner.pid} runs ${program} on ${storeDir} already; stop it, or use another directory`;
    throw new ServerError('store-in-use', message);
  }
  // The process that renames the leftover may end it. A concurrent process finds nothing, or a newer claim, which it
  // puts back.
  const taken = createTemporaryName(path);
  if (!(await succeeds(rename(path, taken)))) return;
  if ((await readFile(taken, 'utf8')) !== text) {
    await rename(taken, path);
    return;
  }
  const server = left?.server;
  if (server !== undefined && !(await endProcess(server.pid, async () => !(await isSameServer(server))))) {
    await rename(taken, path);
    throw new ServerError(
      'stop-failed',
      `process ${server.pid}, left over on ${storeDir}, does not end; end it by hand`,
    );
  }
  await rm(taken, { force: true });
}

// The command line must match the recorded one in addition to the start time, because this process is about to be
// ended.
async function isSameServer(noted: ProcessIdentity): Promise<boolean> {
  const current = await identifyProcess(noted.pid);
  return current?.started === noted.started && current.command === noted.command;
}

// A link appears with its whole content or not at all, and never over another file: a reader sees no half-written claim.
async function createComplete(path: string, record: ClaimRecord): Promise<boolean> {
  const complete = createTemporaryName(path);
  await writeFile(complete, JSON.stringify(record));
  try {
    return await succeeds(link(complete, path));
  } finally {
    await rm(complete, { force: true });
  }
}

async function replace(path: string, record: ClaimRecord): Promise<void> {
  const complete = createTemporaryName(path);
  await writeFile(complete, JSON.stringify(record));
  await rename(complete, path);
}

function createTemporaryName(path: string): string {
  return `${path}.${process.pid}-${randomUUID()}`;
}

/**
 * Returns false if the file exists already, or has been removed. Other errors, such as missing permission, are thrown.
 */
async function succeeds(operation: Promise<void>): Promise<boolean> {
  try {
    await operation;
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'ENOENT')) return false;
    throw error;
  }
}

function parseRecord(text: string): ClaimRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('owner' in value) || !isIdentity(value.owner)) return undefined;
  const server = 'server' in value && isIdentity(value.server) ? value.server : undefined;
  return { owner: value.owner, server };
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  if (!('pid' in value) || !('started' in value) || !('command' in value)) return false;
  const { pid, started, command } = value;
  return Number.isSafeInteger(pid) && Number(pid) > 0 && typeof started === 'string' && typeof command === 'string';
}
