// Starts PostgreSQL for the peer that needs it: Debian's server, which is installed if the bench runs as root. The server
// refuses to run as root, so that it then runs as `nobody`.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pickFreePort } from '@millrace/testkit/bench';

const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 300_000;
const UP_TIMEOUT_MS = 30_000;
const LOOK_MS = 100;

export type Postgres = { url: string; pid: number; stop(): Promise<void> };

const findPrograms = (): string | undefined => globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1);
const isRoot = process.getuid?.() === 0;

/** @throws an error that names the package, if the server is not installed and cannot be */
export async function startPostgres(): Promise<Postgres> {
  if (findPrograms() === undefined && isRoot) {
    process.stderr.write('installing the Debian package postgresql\n');
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postgresql'], {
      timeout: INSTALL_TIMEOUT_MS,
    });
  }
  const programs = findPrograms();
  if (programs === undefined)
    throw new Error('PostgreSQL is not installed: install the Debian package postgresql, and start the bench again.');
  const user = isRoot ? await findNobody() : {};
  // The folder of the bench belongs to its user alone.
  const dir = await mkdtemp(join(tmpdir(), 'millrace-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) await chown(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  const create = ['-D', data, '-U', 'bench', '-A', 'trust', '--no-locale', '-E', 'UTF8'];
  await run(join(programs, 'initdb'), create, { ...user, cwd: dir });
  const port = await pickFreePort();
  const options = [
    '-D',
    data,
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
  ];
  const child = spawn(join(programs, 'postgres'), options, { ...user, cwd: dir, stdio: 'ignore' });
  const url = `postgresql://bench@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    const exited = once(child, 'exit');
    if (child.kill('SIGINT')) await exited;
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await waitUntilUp(join(programs, 'pg_isready'), port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid ?? 0, stop };
}

async function waitUntilUp(isReady: string, port: number): Promise<void> {
  const until = Date.now() + UP_TIMEOUT_MS;
  for (;;) {
    const isUp = await run(isReady, ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (Date.now() > until) throw new Error('PostgreSQL does not accept connections.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function findNobody(): Promise<{ uid?: number; gid?: number }> {
  const users = await readFile('/etc/passwd', 'utf8');
  const [, , uid, gid] =
    users
      .split('\n')
      .find((line) => line.startsWith('nobody:'))
      ?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
