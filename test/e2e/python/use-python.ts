// The virtual environment with the requirements of the Python examples, and a scratch folder, for one test file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, type TestContext } from 'vitest';
import { root } from '../run-command.ts';
import { installExamples } from './examples-environment.ts';

const INSTALL_MS = 120_000;

export type TestPython = {
  /** Folder of the examples. */
  folder: string;
  /** Scratch folder of the file, removed after its tests. */
  scratch(): string;
  /** All files share this interpreter and its packages: a test installs nothing. */
  python(): string;
  /** Skips a test with the reason if python3 or a package index is missing. */
  requirePython(context: TestContext): void;
};

/** Call it at the top of a test file. */
export function usePython(): TestPython {
  const folder = join(root, 'examples/python');
  let scratch = '';
  let python = '';
  let missing: string | undefined;
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'millrace-python-'));
    const installed = await installExamples(join(folder, 'requirements.txt'));
    if ('python' in installed) python = installed.python;
    else missing = installed.missing;
  }, INSTALL_MS);
  afterAll(() => rm(scratch, { recursive: true, force: true }));
  return {
    folder,
    scratch: () => scratch,
    python: () => python,
    requirePython({ skip }) {
      if (missing === undefined) return;
      process.stderr.write(`The examples in Python are not tested here: ${missing}\n`);
      skip(missing);
    },
  };
}
