// Runs a program for a command and includes its output in the error if the program fails.
import { execFile } from 'node:child_process';
import { MillraceError } from '@millrace/contracts';

const MAX_TOLD = 4_000;

/** @throws internal with the last output */
export function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const programOutput = `${stdout}\n${stderr}`.trim().slice(-MAX_TOLD);
      reject(
        new MillraceError(
          'internal',
          `"${[program, ...args].join(' ')}" failed in ${cwd}: ${programOutput || error.message}`,
          {
            cause: error,
          },
        ),
      );
    }),
  );
}
