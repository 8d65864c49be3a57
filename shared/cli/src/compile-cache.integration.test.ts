// The compile cache of the `millrace` command, as a process without the variables of the tests.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startMillrace } from './testing/cli-process.ts';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-cached-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command that needs no server. */
const printScript = (env: Record<string, string>, cwd?: string) =>
  startMillrace(['completion', 'bash'], { env: { NODE_COMPILE_CACHE: '', ...env }, ...(cwd !== undefined && { cwd }) })
    .ended;

test('A command stores its compiled sources in the cache folder of its user', async () => {
  const folder = await makeFolder();
  expect(await printScript({ XDG_CACHE_HOME: folder })).toMatchObject({ code: 0, stderr: '' });
  const [version = ''] = await readdir(join(folder, 'millrace/compiled'));
  expect((await readdir(join(folder, 'millrace/compiled', version))).length).toBeGreaterThan(0);
});

test('A command runs without a cache if the folder cannot be created', async () => {
  const file = join(await makeFolder(), 'file');
  await writeFile(file, '');
  expect(await printScript({ XDG_CACHE_HOME: file })).toMatchObject({ code: 0, stderr: '' });
});

test('A command without a home folder stores nothing in its working folder', async () => {
  const folder = await makeFolder();
  expect(await printScript({ HOME: '' }, folder)).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['NODE_DISABLE_COMPILE_CACHE', () => ({ NODE_DISABLE_COMPILE_CACHE: '1' })],
  ['NODE_COMPILE_CACHE', (other: string) => ({ NODE_COMPILE_CACHE: other })],
])('A command stores nothing in the cache folder of its user if %s is set', async (_, choose) => {
  const [folder, other] = await Promise.all([makeFolder(), makeFolder()]);
  expect(await printScript({ XDG_CACHE_HOME: folder, ...choose(other) })).toMatchObject({ code: 0 });
  expect(await readdir(folder)).toEqual([]);
});
