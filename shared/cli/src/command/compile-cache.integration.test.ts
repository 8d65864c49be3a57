// The compile cache of the `millrace` command, as a process without the variables of the tests.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startMillrace } from '../testing/cli-process.ts';

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

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
/** A user that the system does not know. */
const unknown = { uid: 54_321, gid: 54_321 };
const mayBecomeUnknown =
  process.getuid?.() === 0 &&
  [program, process.execPath].every((path) => spawnSync('test', ['-r', path], unknown).status === 0);

test.runIf(mayBecomeUnknown)('A command of a user without a home folder in the system runs without a cache', () => {
  const options = { ...unknown, env: { PATH: process.env['PATH'] }, encoding: 'utf8' as const };
  const { status, stderr } = spawnSync(process.execPath, [program, 'completion', 'bash'], options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.each([
  ['NODE_DISABLE_COMPILE_CACHE', () => ({ NODE_DISABLE_COMPILE_CACHE: '1' })],
  ['NODE_COMPILE_CACHE', (other: string) => ({ NODE_COMPILE_CACHE: other })],
])('A command stores nothing in the cache folder of its user if %s is set', async (_, choose) => {
  const [folder, other] = await Promise.all([makeFolder(), makeFolder()]);
  expect(await printScript({ XDG_CACHE_HOME: folder, ...choose(other) })).toMatchObject({ code: 0 });
  expect(await readdir(folder)).toEqual([]);
});
