// A durable execution engine with the same load on the same model, in a process of its own with its servers. Its packages
// are outside of this workspace; the rows that need them install them.
import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { askProcess, type Figures } from './reference-process.ts';
import { startPostgres } from './start-postgres.ts';

const run = promisify(execFile);
const packages = resolve(import.meta.dirname, '../../durable');
const INSTALL_TIMEOUT_MS = 600_000;
const UP_TIMEOUT_MS = 120_000;
const NATIVE = 'better-sqlite3';

export type PeerName = 'langgraph' | 'restate' | 'dbos';
export type PeerRequest = { input: string; text: string; atOnce: number; total: number };
export type Peer = { run(request: PeerRequest): Promise<Figures>; node: string; stop(): Promise<void> };

type NodeProgram = { path: string; env: NodeJS.ProcessEnv };

/** The Node.js of the bench, and the first other one of the PATH: a native package may fit that one only. */
function listNodes(): NodeProgram[] {
  const own = dirname(process.execPath);
  const dirs = (process.env['PATH'] ?? '').split(delimiter).filter((dir) => !dir.includes('node_modules'));
  const other = dirs.find((dir) => dir !== own && existsSync(join(dir, 'node')));
  return [own, ...(other === undefined ? [] : [other])].map((dir) => ({
    path: join(dir, 'node'),
    env: { PATH: [dir, ...dirs].join(delimiter), HOME: process.env['HOME'] },
  }));
}

async function install(): Promise<void> {
  if (existsSync(join(packages, 'node_modules'))) return;
  process.stderr.write('installing the durable peers (some 360 MB)\n');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', args, { cwd: packages, timeout: INSTALL_TIMEOUT_MS });
}

/** Returns the first Node.js for which the native package loads, after it was built if needed. */
async function findNativeNode(): Promise<NodeProgram> {
  const isLoaded = ({ path, env }: NodeProgram) =>
    run(path, ['-e', `new (require('${NATIVE}'))(':memory:')`], { cwd: packages, env }).then(
      () => true,
      () => false,
    );
  for (const node of listNodes()) {
    if (await isLoaded(node)) return node;
    process.stderr.write(`building ${NATIVE} for ${node.path}\n`);
    const built = run('npm', ['rebuild', NATIVE], { cwd: packages, env: node.env, timeout: INSTALL_TIMEOUT_MS });
    await built.catch(() => undefined);
    if (await isLoaded(node)) return node;
  }
  throw new Error(`${NATIVE} can be built for no Node.js of this machine.`);
}

let started = 0;

export async function startPeer(name: PeerName, { modelUrl, dir }: { modelUrl: string; dir: string }): Promise<Peer> {
  await install();
  const directory = join(dir, `${name}-${started++}`);
  await mkdir(directory);
  const node = name === 'langgraph' ? await findNativeNode() : { path: process.execPath, env: {} };
  const { stdout: version } = await run(node.path, ['--version']);
  const postgres = name === 'dbos' ? await startPostgres() : undefined;
  const env = {
    PATH: process.env['PATH'] ?? '',
    MODEL_URL: modelUrl,
    DIRECTORY: directory,
    ...(postgres && { DATABASE_URL: postgres.url, DATABASE_PID: String(postgres.pid) }),
  };
  const options = { env, execPath: node.path, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as const };
  const child = fork(join(packages, `serve-${name}.mjs`), { ...options, stdio: [...options.stdio] });
  try {
    await waitUntilReady(child);
  } catch (error) {
    child.kill();
    await postgres?.stop();
    throw error;
  }
  return {
    run: (request) => askProcess(child, request),
    node: version.trim(),
    async stop() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
      await postgres?.stop();
    },
  };
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(UP_TIMEOUT_MS)]);
  const exited = once(child, 'exit', { signal }).then(() => {
    throw new Error('the peer ended before it was ready');
  });
  try {
    await Promise.race([once(child, 'message', { signal }), exited]);
  } finally {
    over.abort();
    await exited.catch(() => undefined);
  }
}
