// The virtual environment of the Python examples. Creating one takes eight seconds of processor time, so the cache keeps it, and all test
// files share it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root, runCommand } from '../run-command.ts';

const CACHE = join(root, 'node_modules/.cache/millrace-python');

type Installed = { readonly python: string } | { readonly missing: string };

/** Installs the requirements unless the cache has them for this version of Python. @returns its python, or the reason why it is missing */
export async function installExamples(requirements: string): Promise<Installed> {
  const version = await runCommand('python3', ['--version']);
  if (version.code !== 0) return { missing: 'there is no python3' };
  const hash = createHash('sha256')
    .update(version.stdout)
    .update(await readFile(requirements));
  const environment = join(CACHE, `examples-${hash.digest('hex').slice(0, 16)}`);
  const python = join(environment, 'bin/python');
  if (existsSync(python)) return { python };
  await mkdir(CACHE, { recursive: true });
  // An interrupted installation is never renamed, so an environment of this name is complete.
  const staging = await mkdtemp(join(CACHE, 'staging-'));
  try {
    const failure = await install(staging, requirements);
    if (failure !== undefined) return { missing: failure };
    await rename(staging, environment).catch((error: unknown) => {
      // Another worker was first.
      if (!existsSync(python)) throw error;
    });
    return { python };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** @returns the reason of a failure */
async function install(environment: string, requirements: string): Promise<string | undefined> {
  const made = await runCommand('python3', ['-m', 'venv', environment]);
  if (made.code !== 0) return `there is no python3 with venv: ${made.stderr.trim()}`;
  const options = ['--quiet', '--disable-pip-version-check', '--retries', '1'];
  const args = ['-m', 'pip', 'install', ...options, '-r', requirements];
  const installed = await runCommand(join(environment, 'bin/python'), args);
  if (installed.code === 0) return undefined;
  return `the packages cannot be installed: ${installed.stderr.trim().split('\n').at(-1) ?? ''}`;
}
