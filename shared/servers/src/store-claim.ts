// One server per directory. A claim file names the process that started the server and the server itself, so that the next start
// can tell a server in use (refused) from one whose owner was killed (ended first). Without it, two servers would write one
// store, or a leftover would hold it.
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcess } from './process-end.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.ts';
import { ServerError } from './server-error.ts';

/** As often as another process may take or leave the directory between two looks at it. */
const maxAttempts = 10;

interface ClaimRecord {
  readonly owner: ProcessIdentity;
  readonly server?: ProcessIdentity | undefined;
}

export interface StoreClaim {
  /** Notes the server, so that a later start can end it. */
  record(server: ProcessIdentity | undefined): Promise<void>;
  release(): Promise<void>;
}

/** @throws ServerError `store-in-use` while a living process has the directory, `stop-failed` when its leftover cannot be ended. */
export async function claimStore(storeDir: string, program: string): Promise<StoreClaim> {
  await mkdir(storeDir, { recursive: true });
  const path = join(storeDir, `${program}.pid`);
  const owner = (await identifyProcess(process.pid)) ?? { pid: process.pid, started: '', command: '' };
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (await createExclusively(path, JSON.stringify({ owner }))) {
      return {
        record: (server) => writeAtomically(path, JSON.stringify({ owner, server })),
        release: () => rm(path, { force: true }),
      };
    }
    await removeLeftover(path, storeDir, program);
  }
  throw new ServerError('store-in-use', `${storeDir} is claimed by other processes again and again; use another directory`);
}

async function removeLeftover(path: string, storeDir: string, program: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const left = parseRecord(text);
  if (left !== undefined && (await isAlive(left.owner))) {
    throw new ServerError(
      'store-in-use',
      `process ${left.owner.pid} runs ${program} on ${storeDir} already; stop it, or use another directory`,
    );
  }
  // Whoever renames it may end it; another process that saw the same leftover finds nothing and looks again.
  const taken = `${path}.${process.pid}`;
  const mine = await rename(path, taken).then(() => true, () => false);
  if (!mine) return;
  const server = left?.server;
  try {
    if (server === undefined || (await endProcess(server.pid, async () => !(await isSameServer(server))))) return;
    throw new ServerError('stop-failed', `process ${server.pid}, left over on ${storeDir}, does not end`);
  } finally {
    await rm(taken, { force: true });
  }
}
