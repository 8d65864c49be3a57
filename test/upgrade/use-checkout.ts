// A checkout of an earlier version, installed, for the tests of a file. A test runs only if it is asked for, and the commit is
// in the clone or can be fetched into it: a shallow clone has the newest commits alone.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';

const run = promisify(execFile);
const INSTALL_MS = 300_000;
const REMOVE_MS = 60_000;
const FETCH_MS = 60_000;

export const current = join(import.meta.dirname, '../..');

/** Returns whether the tests run; prints the reason if they do not. */
export async function isTestable(commit: string): Promise<boolean> {
  if (process.env['MILLRACE_UPGRADE'] !== '1') {
    process.stderr.write('Upgrades from earlier versions are tested only by `npm run test:upgrade`.\n');
    return false;
  }
  const isKnown = (await hasCommit(commit)) || ((await fetchCommit(commit)) && (await hasCommit(commit)));
  if (!isKnown) process.stderr.write(`skipped: this clone has no commit ${commit}, and cannot fetch it.\n`);
  return isKnown;
}

const hasCommit = (commit: string): Promise<boolean> => git('cat-file', '-e', `${commit}^{commit}`);
const fetchCommit = (commit: string): Promise<boolean> => git('fetch', '--quiet', '--depth=1', 'origin', commit);

/** Returns whether the command succeeds. It asks for no credentials. */
const git = (...args: string[]): Promise<boolean> =>
  run('git', args, { cwd: current, timeout: FETCH_MS, env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } }).then(
    () => true,
    () => false,
  );

/** Call it in a describe. The folder `scratch` contains the checkout and is removed with it. */
export function useCheckout(commit: string): { checkout: () => string; scratch: () => string } {
  let scratch = '';
  const checkout = () => join(scratch, 'former');
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'millrace-upgrade-'));
    await run('git', ['worktree', 'add', '--detach', checkout(), commit], { cwd: current });
    await run('npm', ['run', '-s', 'install:workspace'], { cwd: checkout(), timeout: INSTALL_MS });
  }, INSTALL_MS);
  afterAll(async () => {
    await run('git', ['worktree', 'remove', '--force', checkout()], { cwd: current });
    await rm(scratch, { recursive: true, force: true });
  }, REMOVE_MS);
  return { checkout, scratch: () => scratch };
}
