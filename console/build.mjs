// Builds the console:  node console/build.mjs --out DIR
//
// Installs the packages of the console, which are no part of the workspace, and builds them into DIR, once per hash of
// their content. --packages installs only. The progress is written to stderr. Several processes may call it at the same
// time: the first one builds, and the others wait for it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const folder = import.meta.dirname;
const LOCK = join(folder, 'node_modules/.building');
const INSTALLED = join(folder, 'node_modules/.installed');
const INPUTS = [
  'package.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'vite.config.ts',
  'tsconfig.json',
  'index.html',
  'build.mjs',
];
const LOCK_POLL_MS = 200;
const LOCK_WAIT_MS = 600_000;
const PACKED = /\.(?:css|js|svg)$/;

const say = (line) => process.stderr.write(`console: ${line}\n`);

const { values } = parseArgs({ options: { out: { type: 'string' }, packages: { type: 'boolean', default: false } } });
if (!values.out && !values.packages) {
  say('names no folder. Usage: node console/build.mjs --out DIR, or --packages to install only.');
  process.exit(1);
}
try {
  await main(values.out && resolve(values.out));
} catch (error) {
  say(error.message);
  say('was not built. Everything else works without it. To repeat: node console/build.mjs --out DIR');
  process.exit(1);
}

async function main(out) {
  const hash = hashFiles([
    ...INPUTS,
    ...globSync('src/**/*', { cwd: folder, exclude: (name) => name.endsWith('.test.ts') }),
  ]);
  if (out && (await readHash(out)) === hash) return;
  const release = await lock();
  try {
    if (out && (await readHash(out)) === hash) return;
    await install();
    if (out) await build(out, hash);
  } finally {
    await release();
  }
}

async function install() {
  const wanted = hashFiles(['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']);
  if ((await readFile(INSTALLED, 'utf8').catch(() => '')) === wanted) return;
  say('installing its packages, about 5 s');
  await run('npx', ['--yes', readPackageManager(), 'install', '--frozen-lockfile', '--prefer-offline'], {
    failure:
      'Its packages cannot be installed. Without a way to the npm registry, set HTTPS_PROXY to your proxy, or `registry` in .npmrc to your mirror.',
  });
  await writeFile(INSTALLED, wanted);
}

/** The version that the workspace is installed with. */
function readPackageManager() {
  const path = join(folder, '../package.json');
  const found = existsSync(path)
    ? /pnpm@[\d.]+/.exec(JSON.parse(readFileSync(path, 'utf8')).scripts['install:workspace'])
    : null;
  return found ? found[0] : 'pnpm';
}

/** Builds beside the folder and then renames, so that a reader never sees half of a build. */
async function build(out, hash) {
  const startedAt = Date.now();
  await mkdir(dirname(out), { recursive: true });
  const next = await mkdtemp(`${out}-`);
  try {
    await run(
      process.execPath,
      [join(folder, 'node_modules/vite/bin/vite.js'), 'build', '--outDir', next, '--emptyOutDir', '--logLevel', 'warn'],
      {
        failure: 'Vite failed to build the console.',
        // One core stays free for the services that run meanwhile.
        env: { NODE_ENV: 'production', RAYON_NUM_THREADS: String(Math.max(1, availableParallelism() - 1)) },
      },
    );
    await pack(join(next, 'assets'));
    await writeFile(join(next, 'build.json'), JSON.stringify({ hash }));
    const old = `${next}-old`;
    if (existsSync(out)) await rename(out, old);
    await rename(next, out);
    await rm(old, { recursive: true, force: true });
  } finally {
    await rm(next, { recursive: true, force: true });
  }
  say(`built in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`);
}

/** Stores compressed copies, because the gateway compresses nothing itself. */
async function pack(assets) {
  for (const name of await readdir(assets)) {
    if (!PACKED.test(name)) continue;
    const bytes = await readFile(join(assets, name));
    await writeFile(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    await writeFile(join(assets, `${name}.br`), brotliCompressSync(bytes));
  }
}

function hashFiles(names) {
  const hash = createHash('sha256');
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    const path = join(folder, name);
    const content = existsSync(path) ? readIfFile(path) : undefined;
    if (content) hash.update(`${name}\0`).update(content).update('\0');
  }
  return hash.digest('hex');
}

function readIfFile(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error.code === 'EISDIR') return undefined;
    throw error;
  }
}

async function readHash(out) {
  const text = await readFile(join(out, 'build.json'), 'utf8').catch(() => '{}');
  return JSON.parse(text).hash;
}

/** Returns the function that releases the lock. The lock of a process that has ended is taken over. */
async function lock() {
  await mkdir(dirname(LOCK), { recursive: true });
  for (const until = Date.now() + LOCK_WAIT_MS; Date.now() < until; await wait(LOCK_POLL_MS)) {
    try {
      const file = await open(LOCK, 'wx');
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(LOCK, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(LOCK, 'utf8').catch(() => ''));
    if (holder > 0 && !isAlive(holder)) await rm(LOCK, { force: true });
  }
  throw new Error(`Another process holds ${LOCK}.`);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Its output is shown only if it fails. */
async function run(program, args, { failure, env = {} }) {
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      ...process.env,
      npm_config_loglevel: 'error',
      npm_config_fetch_retries: process.env.npm_config_fetch_retries ?? '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const stop = () => child.kill('SIGTERM');
  process.once('SIGTERM', stop);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', resolve);
  });
  process.off('SIGTERM', stop);
  if (code !== 0) throw new Error(`${failure}\n${output.slice(-2_000).trim()}`);
}
