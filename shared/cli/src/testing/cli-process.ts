// The `millrace` command as its users have it: a process with an exit code and two outputs.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@millrace/testkit';

type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };
export type CliProcess = {
  /** Resolves when stdout or stderr holds the text. */
  until(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
};
export type CliOptions = { env?: Record<string, string>; cwd?: string };

const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/** The environment is what is given and PATH, no more: the tests' own must not reach it. */
export function startMillrace(args: readonly string[], { env = {}, cwd }: CliOptions = {}): CliProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const until = async (text: string) =>
    void (await eventually(() => `${stdout}\n${stderr}`.includes(text), { timeoutMs: 10_000 }));
  return { until, kill: (signal) => void child.kill(signal), ended };
}
