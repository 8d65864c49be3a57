// A command's whole run: how it ended and what it said.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

export type Ended = { code: number; stdout: string; stderr: string };
type Options = { env?: NodeJS.ProcessEnv; cwd?: string };

export const root = resolve(import.meta.dirname, '../..');

/** Never rejects: a command that cannot be run has the code -1. */
export function runCommand(
  command: string,
  args: readonly string[],
  { env, cwd = root }: Options = {},
): Promise<Ended> {
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

export const millrace = (args: readonly string[], options: Options = {}): Promise<Ended> =>
  runCommand(process.execPath, [resolve(root, 'shared/cli/src/main.ts'), ...args], options);
