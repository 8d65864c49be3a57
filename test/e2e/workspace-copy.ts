// Copies this checkout, including uncommitted files, and installs it, for tests that change a workspace.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runCommand } from './run-command.ts';

export type WorkspaceCopy = { dir: string; remove(): void };

/** @throws with npm's output if the installation fails */
export async function copyWorkspace(): Promise<WorkspaceCopy> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-workspace-'));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root });
  for (const file of listed.toString().split('\0'))
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(dir, file));
  const installed = await runCommand('npm', ['run', '-s', 'install:workspace'], { cwd: dir });
  if (installed.code !== 0) throw new Error(`the copy cannot be installed: ${installed.stdout}${installed.stderr}`);
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
