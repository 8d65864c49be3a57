// The program that builds the console, on a copy without its packages.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Runs build.mjs of a copy of the package, as an image does. */
async function runBuild(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: unknown; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-build-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(root, 'console'), join(folder, 'console'), {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  return new Promise((resolve) => {
    execFile(process.execPath, [join(folder, 'console/build.mjs'), ...args], { env }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

test('Without a registry the build names the reason and the remedy, and fails', async () => {
  const home = await mkdtemp(join(tmpdir(), 'millrace-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
  };
  const { code, stderr } = await runBuild(['--out', join(home, 'out')], env);
  expect(code).toBe(1);
  expect(stderr).toContain('set HTTPS_PROXY to your proxy');
  expect(stderr).toContain('Everything else works without it.');
}, 60_000);

test('A call without a folder prints the usage', async () => {
  const { code, stderr } = await runBuild([], { PATH: process.env['PATH'] ?? '' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('Usage: node console/build.mjs --out DIR')]);
});
