// A virtual environment with the requirements of the Python examples, for one test file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, type TestContext } from 'vitest';
import { root, runCommand } from '../run-command.ts';

const INSTALL_MS = 120_000;

export type TestPython = {
  /** Folder of the examples. */
  folder: string;
  /** Folder of the virtual environment, removed after the tests. */
  environment(): string;
  python(): string;
  /** Skips a test with the reason if python3 or a package index is missing. */
  requirePython(context: TestContext): void;
};

/** Call it at the top of a test file. */
export function usePython(): TestPython {
  const folder = join(root, 'examples/python');
  let environment = '';
  let missing: string | undefined;
  const python = () => join(environment, 'bin/python');
  beforeAll(async () => {
    environment = await mkdtemp(join(tmpdir(), 'millrace-python-'));
    const made = await runCommand('python3', ['-m', 'venv', environment]);
    if (made.code !== 0) return void (missing = `there is no python3 with venv: ${made.stderr.trim()}`);
    const options = ['--quiet', '--disable-pip-version-check', '--retries', '1'];
    const args = ['-m', 'pip', 'install', ...options, '-r', join(folder, 'requirements.txt')];
    const installed = await runCommand(python(), args);
    if (installed.code !== 0)
      missing = `nats-py cannot be installed: ${installed.stderr.trim().split('\n').at(-1) ?? ''}`;
  }, INSTALL_MS);
  afterAll(() => rm(environment, { recursive: true, force: true }));
  return {
    folder,
    environment: () => environment,
    python,
    requirePython({ skip }) {
      if (missing === undefined) return;
      process.stderr.write(`The examples in Python are not tested here: ${missing}\n`);
      skip(missing);
    },
  };
}
