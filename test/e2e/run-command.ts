// Result of a complete command: exit code and output.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

export type ProgramResult = { code: number; stdout: string; stderr: string };
type ProgramOptions = { env?: NodeJS.ProcessEnv; cwd?: string };

export const root = resolve(import.meta.dirname, '../..');

/** Never rejects: a command that cannot be started has the code -1. */
export function runCommand(
  command: string,
  args: readonly string[],
  { env, cwd = root }: ProgramOptions = {},
): Promise<ProgramResult> {
  return new Promise((done) =>
    execFile(
      command,
      args,
      { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr }),
    ),
  );
}

export const millrace = (args: readonly string[], options: ProgramOptions = {}): Promise<ProgramResult> =>
  runCommand(process.execPath, [resolve(root, 'shared/cli/src/main.ts'), ...args], options);
