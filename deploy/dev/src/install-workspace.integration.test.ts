// The installation before `npm start`, without a way to the registry.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchDir } from './testing/scratch-dir.ts';

const PROGRAM = join(import.meta.dirname, '../install-workspace.mjs');
type Ended = { code: unknown; stdout: string; stderr: string };

/** An empty home has no cached package manager. */
const install = (home: string): Promise<Ended> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env['PATH'],
      HOME: home,
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
    };
    execFile(process.execPath, [PROGRAM], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

test('Without a registry the installation prints the reason and the remedy, and nothing on stdout', async () => {
  const { code, stdout, stderr } = await install(await scratchDir());
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('ECONNREFUSED');
  expect(stderr).toContain('set HTTPS_PROXY to your proxy');
}, 60_000);
