// The workspace rejects files that are not in its format: `millrace new` must not create one.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { buildAgentFile, buildTestFile, buildTypescriptFiles, type ScaffoldKind } from './scaffold.ts';

const root = resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);

test.each<[ScaffoldKind, string]>([
  ['processor', 'no-shouting'],
  ['tool', 'letter-count'],
  ['processor', 'a'],
  ['tool', 'a'],
])('The files of a new %s named %s have the format of the workspace', async (kind, id) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-format-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = [...buildTypescriptFiles(kind, id), buildTestFile(kind, id), buildAgentFile(kind, id)];
  for (const { name, text } of files) await writeFile(join(folder, name), text);
  const args = ['--config', join(root, '.oxfmtrc.json'), '--check', '.'];
  const { stdout } = await run(join(root, 'node_modules/.bin/oxfmt'), args, { cwd: folder });
  expect(stdout).toContain('All matched files use the correct format');
});
