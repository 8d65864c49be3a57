// Runs a program and includes the end of its output in the error if the program fails.
import { execFile } from 'node:child_process';

const MAX_SHOWN_CHARS = 4_000;

/** Resolves with stdout. */
export function runProgram(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const output = `${stdout}\n${stderr}`.trim().slice(-MAX_SHOWN_CHARS);
      reject(new Error(`"${[program, ...args].join(' ')}" failed in ${cwd}: ${output || error.message}`));
    }),
  );
}
